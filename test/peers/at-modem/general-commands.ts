import { type AtHandler, ok, refused } from './at-call.ts'
import type { AtModem } from './at-modem.ts'

/** Commands of V.250, and of 3GPP TS 27.007 about the modem itself. */
export function generalCommands(modem: AtModem): Record<string, AtHandler> {
  const identity =
    (read: () => string): AtHandler =>
    ({ form }) =>
      form === 'test' ? ok() : form === 'run' ? ok(read()) : null
  return {
    ...identities(modem, identity),
    E: ({ values: [value] }) => {
      modem.line.isEchoing = value !== '0' && value !== ''
      return ok()
    },
    ...Object.fromEntries(
      ['V', 'Q', 'X', 'S', 'H', '&C', '&D', '&S', '&K', '&W', '\\Q'].map((name) => [name, () => ok()]),
    ),
    Z: () => restoreDefaults(modem),
    '&F': () => restoreDefaults(modem),
    I: () =>
      ok(
        modem.settings.identity.manufacturer,
        modem.settings.identity.model,
        modem.settings.identity.revision,
      ),
    '+CMEE': valueOf(
      '+CMEE',
      [0, 1],
      () => modem.state.cmee,
      (value) => void (modem.state.cmee = value),
    ),
    '+CSCS': ({ form, values }) => {
      if (form === 'test') return ok('+CSCS: ("GSM","IRA","UCS2")')
      if (form === 'read') return ok(`+CSCS: "${modem.state.charset}"`)
      if (!['GSM', 'IRA', 'UCS2'].includes(values[0] ?? '')) return refused
      modem.state.charset = values[0] as string
      return ok()
    },
    '+CFUN': ({ form, values }) => {
      if (form === 'test') return ok('+CFUN: (0,1,4),(0,1)')
      if (form === 'read') return ok(`+CFUN: ${modem.state.cfun}`)
      return form === 'set' ? setFunction(modem, Number(values[0]), values[1] === '1') : null
    },
    '+CLAC': () => ok('+CMGS', '+CMGL', '+CNMI'),
    '+GCAP': () => ok('+GCAP: +CGSM,+DS,+ES'),
  }
}

function identities(modem: AtModem, identity: (read: () => string) => AtHandler): Record<string, AtHandler> {
  const of = (key: 'manufacturer' | 'model' | 'revision' | 'imei'): AtHandler =>
    identity(() => modem.settings.identity[key])
  return {
    '+CGMI': of('manufacturer'),
    '+GMI': of('manufacturer'),
    '+CGMM': of('model'),
    '+GMM': of('model'),
    '+CGMR': of('revision'),
    '+GMR': of('revision'),
    '+CGSN': of('imei'),
    '+GSN': of('imei'),
  }
}

/** A command with one number. */
export const valueOf =
  (name: string, allowed: readonly number[], get: () => number, set: (value: number) => void): AtHandler =>
  ({ form, values }) => {
    if (form === 'test') return ok(`${name}: (${allowed.join(',')})`)
    if (form === 'read') return ok(`${name}: ${get()}`)
    const value = Number(values[0])
    if (form !== 'set' || !allowed.includes(value) || values[0] === '') return refused
    set(value)
    return ok()
  }

function restoreDefaults(modem: AtModem): ReturnType<AtHandler> {
  modem.line.isEchoing = modem.settings.line.echo !== 'off'
  modem.state.cmee = 0
  modem.state.cnmi = [...modem.settings.indications.cnmiAtStart]
  return ok()
}

function setFunction(modem: AtModem, cfun: number, isReset: boolean): ReturnType<AtHandler> {
  if (![0, 1, 4].includes(cfun)) return refused
  if (isReset) {
    modem.host.clock.schedule(0, () => modem.reset())
    return ok()
  }
  const { state } = modem
  if (state.cfun !== 1 || cfun !== 1) state.isOnAir = false
  state.cfun = cfun
  if (cfun !== 1) return ok()
  state.busyCommands = modem.settings.identity.busyAfterCfun
  const { generation } = modem
  modem.host.clock.schedule(modem.settings.network.registerAfterMs, () => {
    if (generation !== modem.generation || modem.state.cfun !== 1) return
    modem.state.isOnAir = true
    modem.arrivals.pump(true)
  })
  return ok()
}

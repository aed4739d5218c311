import { type AtAnswer, type AtHandler, cme, ok, refused, silent } from './at-call.ts'
import type { AtModem } from './at-modem.ts'

/** Commands about the SIM: its state, PIN and PUK, tries, IMSI and ICCID (3GPP TS 27.007; those of makers as their manuals have them). */
export function simCommands(modem: AtModem): Record<string, AtHandler> {
  const { iccidBy, triesBy } = modem.settings.identity
  const iccids: [string, AtHandler][] = iccidBy.map((name) => [
    name,
    name === '+CRSM' ? readFile(modem) : readIccid(modem, name),
  ])
  const tries: [string, AtHandler][] = triesBy
    .filter((name) => name !== '^CPIN')
    .map((name) => [name, () => readTries(modem, name)])
  return {
    ...Object.fromEntries([...iccids, ...tries]),
    ...(triesBy.includes('^CPIN')
      ? { '^CPIN': ({ form }) => (form === 'read' ? huaweiTries(modem) : null) }
      : {}),
    '+CPIN': ({ form, values }) => {
      if (form === 'test') return ok()
      if (form === 'read') return readPin(modem)
      return form === 'set' ? enterPin(modem, values[0] ?? '', values[1] ?? null) : null
    },
    '+CIMI': ({ form }) =>
      form === 'run' ? ok(modem.card?.settings.imsi ?? '') : form === 'test' ? ok() : null,
    '+CLCK': ({ values: [facility, mode] }) => {
      if (facility !== 'SC' || mode !== '2') return cme(3)
      return ok(`+CLCK: ${(modem.card?.settings.pin ?? null) === null ? 0 : 1}`)
    },
    '+CNUM': () => ok(),
  }
}

const stateWords = { ready: 'READY', pin: 'SIM PIN', puk: 'SIM PUK' } as const

function readPin(modem: AtModem): AtAnswer {
  const state = modem.card?.state
  if (state === undefined) return cme(10)
  if (state === 'dead') return cme(13)
  const line = `+CPIN: ${stateWords[state]}`
  return modem.settings.identity.isCpinWithoutOk ? { ...silent, lines: [line] } : ok(line)
}

function enterPin(modem: AtModem, code: string, newPin: string | null): AtAnswer {
  const { card } = modem
  if (card === null) return cme(10)
  const what = card.enter(code, newPin)
  if (what === 'refused') return card.state === 'puk' ? cme(12) : card.state === 'dead' ? cme(13) : cme(3)
  const isPuk = what.startsWith('puk')
  const triesLeft = isPuk ? card.settings.pukTriesLeft : card.settings.triesLeft
  modem.host.log.write({ kind: 'pin', modem: modem.host.modem, what, triesLeft })
  if (what.endsWith('wrong')) return !isPuk && triesLeft === 0 ? cme(12) : cme(16)
  modem.arrivals.pump(true)
  return ok()
}

const readIccid =
  (modem: AtModem, name: string): AtHandler =>
  ({ form }) => {
    if (form === 'test') return ok()
    if (modem.card === null) return cme(10)
    return ok(`${name}: ${modem.card.settings.iccid}`)
  }

/** EF-ICCID alone, digits swapped (ETSI TS 102 221 section 13.2); of other files that they are not there. */
const readFile =
  (modem: AtModem): AtHandler =>
  ({ form, values: [command, file] }) => {
    if (form === 'test') return ok()
    if (modem.card === null) return cme(10)
    if (file !== '12258') return ok('+CRSM: 106,130,""')
    if (command === '192') return ok('+CRSM: 144,0,"0000000A2FE2040000FF55010200"')
    if (command !== '176') return ok('+CRSM: 109,0,""')
    const digits = modem.card.settings.iccid.padEnd(20, 'F')
    return ok(`+CRSM: 144,0,"${digits.replaceAll(/(.)(.)/g, '$2$1')}"`)
  }

function readTries(modem: AtModem, name: '+CPINR' | '+QPINC' | '+SPIC'): AtAnswer {
  if (modem.card === null) return cme(10)
  const { triesLeft, pukTriesLeft } = modem.card.settings
  if (name === '+SPIC') return ok(`+SPIC: ${triesLeft},${pukTriesLeft},3,10`)
  if (name === '+QPINC') return ok(`+QPINC: "SC",${triesLeft},${pukTriesLeft}`)
  return ok(`+CPINR: SIM PIN,${triesLeft},3`, `+CPINR: SIM PUK,${pukTriesLeft},10`)
}

function huaweiTries(modem: AtModem): AtAnswer {
  if (modem.card === null) return refused
  const { state, settings } = modem.card
  const word = state === 'dead' ? 'SIM PUK' : stateWords[state]
  const current = state === 'puk' ? settings.pukTriesLeft : settings.triesLeft
  return ok(
    `^CPIN: ${word},${state === 'ready' ? '' : current},${settings.pukTriesLeft},${settings.triesLeft},10,3`,
  )
}

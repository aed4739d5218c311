import { packSeptets, toSeptets } from '../sms-text/alphabets.ts'
import { type AtAnswer, type AtHandler, ok, refused } from './at-call.ts'
import type { AtModem } from './at-modem.ts'

/** Commands about the network: registration, operator, signal and USSD (3GPP TS 27.007). */
export function networkCommands(modem: AtModem): Record<string, AtHandler> {
  return {
    '+CREG': registration(modem, '+CREG', 'cs'),
    '+CGREG': registration(modem, '+CGREG', 'ps'),
    '+CEREG': registration(modem, '+CEREG', 'eps'),
    '+CSQ': ({ form }) => {
      if (form === 'test') return ok('+CSQ: (0-31,99),(0-7,99)')
      return ok(`+CSQ: ${modem.isRegistered ? modem.settings.network.signal : 99},99`)
    },
    '+COPS': operator(modem),
    '+CUSD': ussd(modem),
    '+CGATT': ({ form }) => (form === 'read' ? ok(`+CGATT: ${modem.isRegistered ? 1 : 0}`) : ok()),
  }
}

const registration =
  (modem: AtModem, name: string, key: 'cs' | 'ps' | 'eps'): AtHandler =>
  ({ form, values }) => {
    const stat = modem.settings.network[key]
    if (stat === null) return refused
    const mode = modem.state.registrationMode[name] ?? 0
    if (form === 'test') return ok(`${name}: (0-2)`)
    if (form === 'set') {
      modem.state.registrationMode[name] = Number(values[0])
      return ok()
    }
    const isThere = modem.state.isOnAir && modem.state.cfun === 1 && modem.card?.state === 'ready'
    const place = mode === 2 && isThere ? ',"1A2B","01C3D4E5"' : ''
    return form === 'read' ? ok(`${name}: ${mode},${isThere ? stat : 0}${place}`) : null
  }

const operator =
  (modem: AtModem): AtHandler =>
  ({ form, values }) => {
    const { operator: name, technology } = modem.settings.network
    if (form === 'test') return ok(`+COPS: (2,"${name}","${name}","26202",${technology}),,(0-4),(0-2)`)
    if (form === 'set') {
      if (values[1] !== undefined && values[1] !== '') modem.state.operatorFormat = Number(values[1])
      return ok()
    }
    if (form !== 'read') return null
    if (!modem.isRegistered) return ok('+COPS: 0')
    const { operatorFormat } = modem.state
    return ok(`+COPS: 0,${operatorFormat},"${operatorFormat === 2 ? '26202' : name}",${technology}`)
  }

const ussd =
  (modem: AtModem): AtHandler =>
  ({ form, values: [mode, code] }) => {
    if (form === 'test') return ok('+CUSD: (0-2)')
    if (form === 'read') return ok('+CUSD: 1')
    if (code === undefined || mode === '2') return ok()
    return ask(modem, code)
  }

async function ask(modem: AtModem, code: string): Promise<AtAnswer> {
  const { answers, form, when, delayMs } = modem.settings.ussd
  const asked = form === 'packed-hex' && /^[0-9A-F]+$/.test(code) ? findPacked(answers, code) : answers[code]
  const line =
    asked === undefined ? '+CUSD: 4' : `+CUSD: 0,"${written(asked, form)}",${form === 'ucs2-hex' ? 72 : 15}`
  if (when === 'never') return ok()
  if (when === 'before-ok') {
    await modem.wait(delayMs)
    return ok(line)
  }
  modem.host.clock.schedule(delayMs, () => modem.line.tell([line]))
  return ok()
}

const findPacked = (answers: Readonly<Record<string, string>>, code: string): string | undefined =>
  Object.entries(answers).find(([asked]) => written(asked, 'packed-hex') === code)?.[1]

function written(text: string, form: 'plain' | 'packed-hex' | 'ucs2-hex'): string {
  if (form === 'plain') return text
  if (form === 'ucs2-hex') return Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()
  const septets = toSeptets(text)
  if (septets === null) throw new Error(`Not in the GSM alphabet: ${text}`)
  // Seven spare bits would read as @: CR stands there (3GPP TS 23.038 section 6.1.2.3.1).
  return packSeptets(septets.length % 8 === 7 ? [...septets, 0x0d] : septets).toString('hex').toUpperCase() // prettier-ignore
}

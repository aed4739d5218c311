import { type AtHandler, cms, ok, refused } from './at-call.ts'
import type { AtModem } from './at-modem.ts'
import { valueOf } from './general-commands.ts'
import { memoryCommands } from './memory-commands.ts'
import { ask, submit } from './sending.ts'

/** Commands about SMS in PDU mode (3GPP TS 27.005): sending, and how what arrives is routed. */
export function messageCommands(modem: AtModem): Record<string, AtHandler> {
  return {
    ...memoryCommands(modem),
    '+CMGF': valueOf('+CMGF', [0], () => modem.state.cmgf, (value) => void (modem.state.cmgf = value)), // prettier-ignore
    '+CSMS': service(modem),
    '+CNMI': indications(modem),
    '+CNMA': ({ form, values: [value] }) => {
      if (form === 'test') return ok('+CNMA: (0-2)')
      if (modem.state.service === 0) return cms(340)
      return modem.arrivals.acknowledge(value !== '2') ? ok() : cms(340)
    },
    '+CSCA': smscOfCard(modem),
    '+CMMS': (call) => {
      if (!modem.settings.submit.hasMoreToSend) return cms(500)
      return valueOf('+CMMS', [0, 1, 2], () => modem.state.moreToSend, (value) => void (modem.state.moreToSend = value))(call) // prettier-ignore
    },
    '+CMGS': ({ form, values: [value] }) => {
      if (form === 'test') return ok()
      return form === 'set' ? ask(modem, Number(value), (pdu) => submit(modem, pdu, Number(value))) : null
    },
    ...Object.fromEntries(['+CSMP', '+CSDH', '+CSCB', '+CGSMS'].map((name) => [name, other(modem, name)])),
  }
}

const service =
  (modem: AtModem): AtHandler =>
  ({ form, values: [value] }) => {
    const has = modem.settings.indications.hasService1
    if (form === 'test') return ok(`+CSMS: (${has ? '0,1' : '0'})`)
    if (form === 'read') return ok(`+CSMS: ${modem.state.service},1,1,1`)
    if (value !== '0' && (value !== '1' || !has)) return cms(302)
    modem.state.service = Number(value)
    return ok('+CSMS: 1,1,1')
  }

const indications =
  (modem: AtModem): AtHandler =>
  ({ form, values }) => {
    const ranges = modem.settings.indications.cnmi
    if (ranges === null) return refused
    if (form === 'test')
      return ok(
        `+CNMI: ${ranges.map((range) => writeRange(range, modem.settings.indications.rangeForm)).join(',')}`,
      )
    if (form === 'read') return ok(`+CNMI: ${modem.state.cnmi.join(',')}`)
    if (form !== 'set' || values.length > 5) return null
    const wanted = modem.state.cnmi.map((value, place) =>
      (values[place] ?? '') === '' ? value : Number(values[place]),
    )
    if (wanted.some((value, place) => !ranges[place]?.includes(value))) return cms(303)
    modem.state.cnmi = wanted
    if (wanted[0] !== 0) {
      const buffered = modem.state.buffered.splice(0)
      if (wanted[4] === 0) for (const lines of buffered) modem.line.tell(lines)
    }
    modem.host.clock.schedule(0, () => modem.arrivals.pump())
    return ok()
  }

function writeRange(values: readonly number[], form: 'dash' | 'list'): string {
  const isRow = values.every((value, place) => value === (values[0] as number) + place)
  return form === 'dash' && isRow && values.length > 2
    ? `(${values[0]}-${values.at(-1)})`
    : `(${values.join(',')})`
}

const smscOfCard =
  (modem: AtModem): AtHandler =>
  ({ form, values: [number] }) => {
    const card = modem.card?.settings
    if (card === undefined) return cms(310)
    if (form === 'test') return ok()
    if (form === 'set') {
      card.smsc = number === '' || number === undefined ? null : number
      return ok()
    }
    return form === 'read'
      ? ok(`+CSCA: "${card.smsc ?? ''}",${card.smsc?.startsWith('+') === true ? 145 : 129}`)
      : null
  }

/** Taken and given back; in PDU mode they mean nothing. */
const other =
  (modem: AtModem, name: string): AtHandler =>
  ({ form, values }) => {
    if (form === 'set') modem.state.others.set(name, values.join(','))
    return form === 'read' ? ok(`${name}: ${modem.state.others.get(name) ?? '0'}`) : ok()
  }

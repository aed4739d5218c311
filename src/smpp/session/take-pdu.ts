import { codecOf } from '../codec/body-codecs.ts'
import type { MalformedPdu } from '../codec/decode-pdu.ts'
import type { Delivery } from './deliveries.ts'
import { type Bodies, type Command, commandStatus, type Pdu } from '../codec/pdu.ts'

/** What a session can do with a PDU of its peer. */
interface Deps {
  send(pdu: Pdu): unknown
  /** Matches an answer with its request; false when nobody asked. */
  answer(command: Command, sequence: number, status: number, body: Bodies[Command]): boolean
  deliver(delivery: Delivery): void
  peerUnbinds(sequence: number): void
  /** Tells what nobody waited for, or what could not be read as a whole. */
  odd(pdu: Pdu | MalformedPdu): void
}

/** Does what a PDU asks for. Whatever it is, the session goes on behind it. */
export function takePdu(deps: Deps, pdu: Pdu | MalformedPdu): void {
  if (!('rest' in pdu)) return take(deps, pdu)
  deps.odd(pdu)
  // Once for each PDU.
  take({ ...deps, odd: () => undefined }, pdu)
}

function take(deps: Deps, pdu: Pdu | MalformedPdu): void {
  switch (pdu.command) {
    case 'enquire_link':
      deps.send({ command: 'enquire_link_resp', status: 0, sequence: pdu.sequence, body: null })
      return
    case 'unbind':
      return deps.peerUnbinds(pdu.sequence)
    case 'deliver_sm':
    case 'data_sm':
      return deps.deliver(pdu)
    case 'alert_notification':
    case 'outbind':
      return deps.odd(pdu)
    case 'unknown':
      return takeOdd(deps, pdu, pdu.commandId >= 0x8000_0000, commandStatus.ESME_RINVCMDID)
    case 'malformed':
      return takeMalformed(deps, pdu)
    default: {
      const { isResponse } = codecOf[pdu.command]
      if (isResponse && deps.answer(pdu.command, pdu.sequence, pdu.status, pdu.body)) return
      // What an SMSC has no business to ask of an ESME is an unknown command to it.
      takeOdd(deps, pdu, isResponse, commandStatus.ESME_RINVCMDID)
    }
  }
}

/** An answer that makes no sense is an answer all the same: its status counts. A request is refused for good. */
function takeMalformed(deps: Deps, pdu: MalformedPdu): void {
  const { claimed, sequence, status } = pdu
  const { isResponse } = codecOf[claimed]
  if (isResponse && deps.answer(claimed, sequence, status, null)) return deps.odd(pdu)
  if (claimed !== 'deliver_sm' && claimed !== 'data_sm')
    return takeOdd(deps, pdu, isResponse, commandStatus.ESME_RINVCMDLEN)
  // Anything milder, and some peers send the same message again for days.
  deps.send({ command: `${claimed}_resp`, status: commandStatus.ESME_RX_P_APPN, sequence, body: null })
  deps.odd(pdu)
}

function takeOdd(deps: Deps, pdu: Pdu | MalformedPdu, isResponse: boolean, status: number): void {
  // A generic_nack for a response would name one of our own requests.
  if (!isResponse) deps.send({ command: 'generic_nack', status, sequence: pdu.sequence, body: null })
  deps.odd(pdu)
}

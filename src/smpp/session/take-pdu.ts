import { codecOf } from '../codec/body-codecs.ts'
import type { MalformedPdu } from '../codec/decode-pdu.ts'
import type { IncomingPdu } from './deliveries.ts'
import { type Bodies, type Command, commandStatus, type Pdu } from '../codec/pdu.ts'

/** What a session can do with a PDU of its peer. */
interface Deps {
  send(pdu: Pdu): unknown
  /** Matches a response with its request; false when none matches. */
  answer(command: Command, sequence: number, status: number, body: Bodies[Command]): boolean
  deliver(delivery: IncomingPdu): void
  peerUnbinds(sequence: number): void
  /** Reports an unexpected PDU, or one that could not be parsed completely. */
  odd(pdu: Pdu | MalformedPdu): void
}

/** Handles a PDU. The session continues after it, regardless of its content. */
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
      // What an SMSC must not request from an ESME is an unknown command.
      takeOdd(deps, pdu, isResponse, commandStatus.ESME_RINVCMDID)
    }
  }
}

/** An invalid response is still a response: its status counts. A request is rejected permanently. */
function takeMalformed(deps: Deps, pdu: MalformedPdu): void {
  const { claimed, sequence, status } = pdu
  const { isResponse } = codecOf[claimed]
  if (isResponse && deps.answer(claimed, sequence, status, null)) return deps.odd(pdu)
  if (claimed !== 'deliver_sm' && claimed !== 'data_sm')
    return takeOdd(deps, pdu, isResponse, commandStatus.ESME_RINVCMDLEN)
  // With anything milder some peers send the same message again for days.
  deps.send({ command: `${claimed}_resp`, status: commandStatus.ESME_RX_P_APPN, sequence, body: null })
  deps.odd(pdu)
}

function takeOdd(deps: Deps, pdu: Pdu | MalformedPdu, isResponse: boolean, status: number): void {
  // A generic_nack for a response would name one of our own requests.
  if (!isResponse) deps.send({ command: 'generic_nack', status, sequence: pdu.sequence, body: null })
  deps.odd(pdu)
}

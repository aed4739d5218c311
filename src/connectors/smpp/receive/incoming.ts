import { createHash } from 'node:crypto'
import { BoundedMap } from '../../../runtime/bounded-map.ts'
import type { ConnectorEvents, Inbound } from '../../connector.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import { ton } from '../../../smpp/values/address.ts'
import type { IncomingPdu } from '../../../smpp/session/deliveries.ts'
import type { AckState } from '../../../smpp/session/ack-state.ts'
import { readInboundText } from '../../../smpp/values/inbound-text.ts'
import { type IdMode, receiptedId } from '../../../smpp/values/message-id.ts'
import type { MessageFields } from '../../../smpp/codec/pdu.ts'
import type { KnownIds } from './known-ids.ts'
import { type ReceiptReading, parseReceipt, wholeReceiptId } from '../../../smpp/values/receipt.ts'
import type { Unparsed } from './unparsed.ts'

interface Deps {
  events: Pick<ConnectorEvents, 'receipt' | 'inbound'>
  tools: Pick<ConnectorTools, 'now'>
  unparsed: Unparsed
  ids: IdMode
  receipts: ReceiptReading
  receiptsPer: 'part' | 'message'
  packing: 'unpacked' | 'packed'
  alphabet: 'gsm7' | 'latin1' | 'ascii'
  /** Which IDs belong to messages of this link. */
  known: Pick<KnownIds, 'has' | 'waitFor'>
}

/** A peer that repeats a message does so within this time. */
const repeatMs = 600_000

/** Returns the handler for messages and receipts of the SMSC; it settles when they are stored. */
export function createIncoming(deps: Deps): (delivery: IncomingPdu, ackState: AckState) => Promise<void> {
  const { events, tools, ids, known, unparsed, receipts: reading } = deps
  const nameOf = createNames()
  const readings = (id: string): string[] => {
    const { networkId, alternatives = [] } = receiptedId(id, ids)
    return [networkId, ...alternatives]
  }
  return async (delivery, ackState) => {
    const { body } = delivery
    const isKnownId = (id: string): boolean => readings(id).some((each) => known.has(each))
    let receipt = parseReceipt(body, { ...reading, isKnownId })
    const early = receipt === null ? wholeReceiptId(body, reading) : null
    if (early !== null) {
      await known.waitFor(readings(early), [body.source.address, body.destination.address])
      // No person writes such a text: with an unknown ID it is kept with the unmatched receipts.
      receipt = parseReceipt(body, { ...reading, isKnownId: () => true })
    }
    if (receipt !== null) {
      if (receipt.ownWord !== undefined)
        unparsed.word(receipt.ownWord, receipt.result === null ? 'open' : 'undelivered')
      if (receipt.result === null) return receipt.isUnparsed === true ? unparsed.receipt(delivery) : undefined
      const { networkId, hasNoId, result, code, networkCode, numbers, isOneSided, reference } = receipt
      const { submittedAt, covers } = receipt
      // No ID shows whether the response to its submission had arrived before.
      if (hasNoId) await known.waitFor([], numbers)
      await events.receipt({
        ...receiptedId(networkId, ids),
        ...(hasNoId && { hasNoId }),
        numbers,
        ...(isOneSided && { isOneSided }),
        result,
        code,
        networkCode,
        ...(reference !== null && { reference }),
        ...(submittedAt !== null && { submittedAt }),
        ...(deps.receiptsPer === 'message' ? { covers: 'all' as const } : covers !== null && { covers }),
      })
      return
    }
    const { text, part, coded } = readInboundText(body, deps)
    const receivedAt = tools.now()
    const fromIs = kindOf(body.source)
    // A part of a long text has its own number: the same octets are the same part.
    const { name, former } = nameOf(digestOf(body), { ackState, receivedAt, isFragment: part !== null })
    await events.inbound({
      from: numberOf(body.source),
      ...(fromIs !== null && { fromIs }),
      to: body.destination.address === '' ? null : numberOf(body.destination),
      text,
      // A deliver_sm does not contain when the SMSC received it.
      networkAt: null,
      inReplyTo: null,
      fingerprint: name,
      fingerprintGuessed: true,
      ...(former !== null && { formerFingerprint: former }),
      ...(part === null ? {} : { fragment: { ...part, ...(coded !== null && { coded }) } }),
    })
  }
}

/** Returns international numbers as E.164, everything else as received. */
const numberOf = ({ ton: type, address }: MessageFields['source']): string =>
  type === ton.international && /^[1-9]\d{4,14}$/.test(address) ? `+${address}` : address

/** Returns what the type of an address means, apart from international (section 5.2.5). */
const kindOf = ({ ton: type }: MessageFields['source']): 'national' | 'other' | null =>
  type === ton.national ? 'national' : notSubscribers.has(type) ? 'other' : null
const notSubscribers: ReadonlySet<number> = new Set([
  ton.networkSpecific,
  ton.subscriber,
  ton.alphanumeric,
  ton.abbreviated,
])

/** Limits how many are remembered: more than this in ten minutes is 100 per second. */
const maxRemembered = 60_000

interface SeenDelivery {
  name: string
  /**
   * Its name if it was stored before this process started. Sent with each repeat: the first attempt to store
   * it may fail.
   */
  former: NonNullable<Inbound['formerFingerprint']> | null
  /** The ten minutes in which it first arrived. */
  span: number
  /** The result of its last copy. */
  ackState: AckState
}
interface Copy {
  ackState: AckState
  receivedAt: number
  isFragment: boolean
}

/**
 * Names messages so that repeats of one have the same name. One that this process does not remember is named
 * after its octets and a period of ten minutes, which is the same before and after a restart; `former` is its
 * name if it arrived in the period before.
 */
function createNames(): (digest: string, copy: Copy) => Pick<SeenDelivery, 'name' | 'former'> {
  const seen = new BoundedMap<SeenDelivery>(maxRemembered)
  let count = 0
  return (digest, { ackState, receivedAt, isFragment }) => {
    const known = seen.get(digest)
    const span = Math.floor(receivedAt / repeatMs)
    const isRecent = known !== undefined && ackState.arrivedMs - known.ackState.arrivedMs < repeatMs
    const isRepeat =
      isRecent &&
      (isFragment ||
        known.ackState.mayComeAgain(ackState.arrivedMs, !ackState.isOfSameSession(known.ackState)))
    const isTaken = !isRepeat && known?.span === span
    const name = isRepeat ? known.name : `${digest}.${span}${isTaken ? `.${receivedAt}.${++count}` : ''}`
    const former =
      known === undefined ? { name: `${digest}.${span - 1}`, afterMs: receivedAt - repeatMs } : null
    const entry = isRepeat ? { ...known, ackState } : { name, former, span, ackState }
    seen.set(digest, entry)
    return entry
  }
}

function digestOf({ source, destination, esmClass, dataCoding, shortMessage, tlvs }: MessageFields): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([source, destination, esmClass, dataCoding]))
    .update(shortMessage)
  for (const { tag, value } of tlvs) hash.update(String(tag)).update(value)
  return hash.digest('base64url')
}

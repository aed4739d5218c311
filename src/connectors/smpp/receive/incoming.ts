import { createHash } from 'node:crypto'
import { BoundedMap } from '../../../runtime/bounded-map.ts'
import type { ConnectorEvents, Inbound } from '../../connector.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import { ton } from '../../../smpp/values/address.ts'
import type { Delivery } from '../../../smpp/session/deliveries.ts'
import type { DeliveryResult } from '../../../smpp/session/delivery-result.ts'
import { readInboundText } from '../../../smpp/values/inbound-text.ts'
import { type IdMode, receiptedId } from '../../../smpp/values/message-id.ts'
import type { MessageFields } from '../../../smpp/codec/pdu.ts'
import type { KnownIds } from './known-ids.ts'
import { type ReceiptReading, readReceipt, wholeReceiptId } from '../../../smpp/values/receipt.ts'
import type { Unread } from './unread.ts'

interface Deps {
  events: Pick<ConnectorEvents, 'receipt' | 'inbound'>
  tools: Pick<ConnectorTools, 'now'>
  unread: Unread
  ids: IdMode
  receipts: ReceiptReading
  receiptsPer: 'part' | 'message'
  packing: 'unpacked' | 'packed'
  alphabet: 'gsm7' | 'latin1' | 'ascii'
  /** Which ids were given to messages of this link. */
  known: Pick<KnownIds, 'has' | 'waitFor'>
}

/** Who repeats a message does so within this time. */
const repeatMs = 600_000

/** Gives what a message or receipt of the SMSC is taken with: settles when it is stored. */
export function createIncoming(deps: Deps): (delivery: Delivery, fate: DeliveryResult) => Promise<void> {
  const { events, tools, ids, known, unread, receipts: reading } = deps
  const nameOf = createNames()
  const readings = (id: string): string[] => {
    const { networkId, alternatives = [] } = receiptedId(id, ids)
    return [networkId, ...alternatives]
  }
  return async (delivery, fate) => {
    const { body } = delivery
    const isKnownId = (id: string): boolean => readings(id).some((each) => known.has(each))
    let receipt = readReceipt(body, { ...reading, isKnownId })
    const early = receipt === null ? wholeReceiptId(body, reading) : null
    if (early !== null) {
      await known.waitFor(readings(early), [body.source.address, body.destination.address])
      // Nobody writes that to a person: under an id of nobody it is kept with the receipts that nobody waits for.
      receipt = readReceipt(body, { ...reading, isKnownId: () => true })
    }
    if (receipt !== null) {
      if (receipt.ownWord !== undefined)
        unread.word(receipt.ownWord, receipt.result === null ? 'open' : 'undelivered')
      if (receipt.result === null) return receipt.isUnread === true ? unread.receipt(delivery) : undefined
      const { networkId, hasNoId, result, code, networkCode, numbers, isOneSided, reference } = receipt
      const { submittedAt, covers } = receipt
      // No id tells whether the answer to its submit was there before.
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
    // A piece of a long text has a number of its own: the same octets are the same piece.
    const { name, former } = nameOf(digestOf(body), { fate, receivedAt, isPiece: part !== null })
    await events.inbound({
      from: numberOf(body.source),
      ...(fromIs !== null && { fromIs }),
      to: body.destination.address === '' ? null : numberOf(body.destination),
      text,
      // A deliver_sm says nothing of when the SMSC had it.
      receivedAt: null,
      inReplyTo: null,
      fingerprint: name,
      fingerprintGuessed: true,
      ...(former !== null && { formerFingerprint: former }),
      ...(part === null ? {} : { part: { ...part, ...(coded !== null && { coded }) } }),
    })
  }
}

/** International numbers as E.164; everything else as it came. */
const numberOf = ({ ton: type, address }: MessageFields['source']): string =>
  type === ton.international && /^[1-9]\d{4,14}$/.test(address) ? `+${address}` : address

/** What the type of an address tells beside that it is international (section 5.2.5). */
const kindOf = ({ ton: type }: MessageFields['source']): 'national' | 'other' | null =>
  type === ton.national ? 'national' : notSubscribers.has(type) ? 'other' : null
const notSubscribers: ReadonlySet<number> = new Set([
  ton.networkSpecific,
  ton.subscriber,
  ton.alphanumeric,
  ton.abbreviated,
])

/** Bounds what is remembered: more messages than that in ten minutes are a hundred a second. */
const maxRemembered = 60_000

interface Heard {
  name: string
  /** What it was named if it was stored before this process began. Told with each of its repeats: the first try to store it may fail. */
  former: NonNullable<Inbound['formerFingerprint']> | null
  /** In which ten minutes it was heard first. */
  span: number
  /** What became of its last copy. */
  fate: DeliveryResult
}
interface Copy {
  fate: DeliveryResult
  receivedAt: number
  isPiece: boolean
}

/**
 * Names messages so that repeats of one have one name. What this process does not remember is named after its octets and whole ten minutes, which
 * is the same before and after a restart; `former` is what it was named if it came before in the ten minutes that ended meanwhile.
 */
function createNames(): (digest: string, copy: Copy) => Pick<Heard, 'name' | 'former'> {
  const heard = new BoundedMap<Heard>(maxRemembered)
  let count = 0
  return (digest, { fate, receivedAt, isPiece }) => {
    const known = heard.get(digest)
    const span = Math.floor(receivedAt / repeatMs)
    const isRecent = known !== undefined && fate.arrivedMs - known.fate.arrivedMs < repeatMs
    const isRepeat =
      isRecent && (isPiece || known.fate.mayComeAgain(fate.arrivedMs, !fate.cameBeside(known.fate)))
    const isTaken = !isRepeat && known?.span === span
    const name = isRepeat ? known.name : `${digest}.${span}${isTaken ? `.${receivedAt}.${++count}` : ''}`
    const former =
      known === undefined ? { name: `${digest}.${span - 1}`, afterMs: receivedAt - repeatMs } : null
    const heardAs = isRepeat ? { ...known, fate } : { name, former, span, fate }
    heard.set(digest, heardAs)
    return heardAs
  }
}

function digestOf({ source, destination, esmClass, dataCoding, shortMessage, tlvs }: MessageFields): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([source, destination, esmClass, dataCoding]))
    .update(shortMessage)
  for (const { tag, value } of tlvs) hash.update(String(tag)).update(value)
  return hash.digest('base64url')
}

import { createHash } from 'node:crypto'
import { BoundedMap } from '../../bounded-map.ts'
import type { ConnectorEvents, ConnectorTools } from '../connector.ts'
import { ton } from './address.ts'
import type { Delivery } from './deliveries.ts'
import { readInboundText } from './inbound-text.ts'
import { type IdMode, receiptedId } from './message-id.ts'
import type { MessageFields } from './pdu.ts'
import { readReceipt } from './receipt.ts'

interface Deps {
  events: Pick<ConnectorEvents, 'receipt' | 'inbound'>
  tools: Pick<ConnectorTools, 'now'>
  ids: IdMode
  packing: 'unpacked' | 'packed'
  alphabet: 'gsm7' | 'latin1' | 'ascii'
  /** Whether this link gave that id to a message of its own. */
  isKnownId(networkId: string): boolean
}

/** A repeat of the same octets within this time is the same message: our answer to the first was lost. */
const repeatMs = 600_000

/** Gives what a message or receipt of the SMSC is taken with: settles when it is stored. */
export function createIncoming(deps: Deps): (delivery: Delivery) => Promise<void> {
  const { events, tools, ids, isKnownId } = deps
  const beginOf = createBegins()
  return async ({ body }) => {
    const receipt = readReceipt(body, (id) => {
      const { networkId, alternatives = [] } = receiptedId(id, ids)
      return [networkId, ...alternatives].some(isKnownId)
    })
    if (receipt !== null) {
      if (receipt.result === null) return
      const { networkId, result, code, networkCode, numbers, reference, submittedAt } = receipt
      await events.receipt({
        ...receiptedId(networkId, ids),
        numbers,
        result,
        code,
        networkCode,
        ...(reference !== null && { reference }),
        ...(submittedAt !== null && { submittedAt }),
      })
      return
    }
    const { text, part } = readInboundText(body, deps)
    const receivedAt = tools.now()
    const fromIs = kindOf(body.source)
    await events.inbound({
      from: numberOf(body.source),
      ...(fromIs !== null && { fromIs }),
      to: body.destination.address === '' ? null : numberOf(body.destination),
      text,
      receivedAt,
      inReplyTo: null,
      fingerprint: fingerprintOf(body, (digest) => beginOf(digest, receivedAt)),
      ...(part === null ? {} : { part }),
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
const mostRemembered = 60_000

/**
 * When the ten minutes of a message began: with the first of its octets. What this process does not remember begins at a whole ten minutes, which
 * is the same before and after a restart.
 */
function createBegins(): (digest: string, nowMs: number) => number {
  const begins = new BoundedMap<{ beginMs: number; seenMs: number }>(mostRemembered)
  return (digest, nowMs) => {
    const known = begins.get(digest)
    if (known !== undefined && Math.abs(nowMs - known.seenMs) < repeatMs) return known.beginMs
    const beginMs = Math.floor(nowMs / repeatMs)
    begins.set(digest, { beginMs, seenMs: nowMs })
    return beginMs
  }
}

function fingerprintOf(fields: MessageFields, beginOf: (digest: string) => number): string {
  const { source, destination, esmClass, dataCoding, shortMessage, tlvs } = fields
  const hash = createHash('sha256')
    .update(JSON.stringify([source, destination, esmClass, dataCoding]))
    .update(shortMessage)
  for (const { tag, value } of tlvs) hash.update(String(tag)).update(value)
  const digest = hash.digest('base64url')
  return `${digest}.${beginOf(digest)}`
}

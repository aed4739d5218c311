import { createHash } from 'node:crypto'
import type { ConnectorEvents, ConnectorTools } from '../connector.ts'
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
    await events.inbound({
      from: numberOf(body.source),
      to: body.destination.address === '' ? null : numberOf(body.destination),
      text,
      receivedAt,
      inReplyTo: null,
      fingerprint: fingerprintOf(body, receivedAt),
      ...(part === null ? {} : { part }),
    })
  }
}

/** International numbers as E.164; everything else as it came. */
const numberOf = ({ ton, address }: MessageFields['source']): string =>
  ton === 1 && /^\d{5,15}$/.test(address) ? `+${address}` : address

function fingerprintOf(fields: MessageFields, receivedAt: number): string {
  const { source, destination, esmClass, dataCoding, shortMessage, tlvs } = fields
  const hash = createHash('sha256')
    .update(JSON.stringify([source, destination, esmClass, dataCoding]))
    .update(shortMessage)
  for (const { tag, value } of tlvs) hash.update(String(tag)).update(value)
  return `${hash.digest('base64url')}.${Math.floor(receivedAt / repeatMs)}`
}

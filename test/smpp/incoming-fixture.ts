import type { Inbound, Receipt } from '../../src/connectors/connector.ts'
import type { IncomingPdu } from '../../src/smpp/session/deliveries.ts'
import { AckState, type SessionSpan } from '../../src/smpp/session/ack-state.ts'
import { createIncoming } from '../../src/connectors/smpp/receive/incoming.ts'
import type { IdMode } from '../../src/smpp/values/message-id.ts'
import type { MessageFields } from '../../src/smpp/codec/pdu.ts'
import type { ReceiptReading } from '../../src/smpp/values/receipt.ts'
import { delivery } from './session-fixture.ts'

export const minuteMs = 60_000
export const startMs = Date.parse('2026-11-21T09:39:58.000Z')

const plainReading: ReceiptReading = { words: new Map(), pattern: null }

/** What comes in over a link, at a time that the test sets. */
export function openIncoming(
  receiptsPer: 'part' | 'message' = 'part',
  { receipts = plainReading, ids = 'auto' }: { receipts?: ReceiptReading; ids?: IdMode } = {},
) {
  const heard = {
    inbound: [] as Inbound[],
    receipts: [] as Receipt[],
    unread: [] as unknown[],
    known: new Set<string>(),
    waitFor: async (_ids: readonly string[], _numbers: readonly string[]): Promise<void> => undefined,
    nowMs: startMs,
    canStore: true,
  }
  const take = createIncoming({
    events: {
      inbound: async (inbound) => {
        heard.inbound.push(inbound)
        if (!heard.canStore) throw new Error('The store takes nothing just now.')
      },
      receipt: async (receipt) => void heard.receipts.push(receipt),
    },
    tools: { now: () => heard.nowMs },
    unparsed: {
      word: (word, meaning) => void heard.unread.push([word, meaning]),
      receipt: ({ body }) => void heard.unread.push(body.esmClass),
      odd: () => undefined,
    },
    ids,
    receipts,
    receiptsPer,
    packing: 'unpacked',
    alphabet: 'gsm7',
    known: { has: (id) => heard.known.has(id), waitFor: (...asked) => heard.waitFor(...asked) },
  })
  const live: SessionSpan = { endedMs: null, noticedWithinMs: 40_000, receivedMs: () => Infinity }
  /** A copy comes in, over a session that lives unless told otherwise; gives what is known of it. */
  const say = async (changes: Partial<MessageFields> = {}, session = live): Promise<AckState> => {
    const ackState = new AckState(session, heard.nowMs - startMs)
    const stored = take(delivery(1, changes) as IncomingPdu, ackState)
    // What cannot be stored is answered with a no.
    await stored.catch(() => ackState.answered(false, heard.nowMs - startMs))
    return ackState
  }
  const pass = (ms: number): number => (heard.nowMs += ms) - startMs
  return { heard, say, pass, prints: () => heard.inbound.map(({ fingerprint }) => fingerprint) }
}

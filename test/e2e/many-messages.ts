import { createIds } from '../../src/runtime/ids.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import type { Storage } from '../../src/storage/seam/storage.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { deliveredAt, failedAt, storedMessage } from '../history/stored-messages.ts'

const dayMs = 86_400_000
const atOnce = 5_000

/** What one message in so many is; each of them is asked for by a test. */
const shares = { failed: 50, rareError: 20_000, rareText: 25_000, received: 200 } as const

/** Stores so many messages of an account's live mode over the last 20 days, most of them delivered, without the way of a message. */
export async function storeMany(storage: Storage, accountId: string, count: number): Promise<void> {
  const startMs = Date.now() - 20 * dayMs
  let atMs = startMs
  const ids = createIds({ now: () => Math.floor(atMs) })
  for (let done = 0; done < count; done += atOnce) {
    const rows = Array.from({ length: Math.min(atOnce, count - done) }, (_, i) => {
      atMs = startMs + ((done + i) / count) * 19 * dayMs
      return messageOf(done + i, { account_id: accountId, id: ids('msg'), created_at: Math.floor(atMs) })
    })
    await storage.writer.write((tx) => insertRows(tx, 'messages', rows))
  }
}

function messageOf(number: number, own: Pick<MessageRow, 'account_id' | 'id' | 'created_at'>): MessageRow {
  const at = own.created_at + 3_000
  const end =
    number % shares.rareError === 7
      ? failedAt(at, 'network_rejected')
      : number % shares.failed === 0
        ? failedAt(at, 'unreachable')
        : deliveredAt(at)
  return storedMessage({
    ...own,
    ...end,
    device_id: null,
    recipient: `+49151${String(10_000_000 + (number % 5_000))}`,
    text: number % shares.rareText === 11 ? 'Here is the needle' : `Order ${number} is on its way`,
    client_reference: `order-${Math.floor(number / 4)}`,
    ...(number % shares.received === 3 ? received : {}),
  })
}

const received = {
  direction: 'inbound',
  status: 'received',
  sender: '+4915110000003',
  recipient: '+4915199999999',
  cost_state: 'none',
  held: 0,
  charged: 0,
  parts_sent: 0,
  error_code: null,
  client_reference: null,
} as const

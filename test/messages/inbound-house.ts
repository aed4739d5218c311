import type { Inbound } from '../../src/connectors/connector.ts'
import { createFragmentExpirer } from '../../src/dispatch/sweepers/fragment-expirer.ts'
import { InboundReceiver } from '../../src/dispatch/inbound/inbound-receiver.ts'
import { createLog } from '../../src/process/log.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { openTestStorage } from '../open-test-storage.ts'

export const joinMs = 30 * 60_000

export interface Piece extends Partial<Inbound> {
  index: number
  total?: number
  reference?: number
}

const pool = {
  get: () => ({ facts: { accountId: 'acc_a', mode: 'live', senders: new Set() }, link: {} }) as never,
}
const unbounded = {
  inboundJoinMinutes: 30,
  inboundCharacters: 40_000,
  inboundPerMinute: 0,
  sharedReplyDays: 30,
}

/** What comes in for one account, over devices of which nothing else is known, with the janitor of what stays incomplete. */
export async function openInboundHouse() {
  const { storage: store, clock, ids, close } = await openTestStorage()
  const open = (config: Partial<typeof unbounded>): InboundReceiver =>
    new InboundReceiver({
      read: store.read,
      writer: store.writer,
      ids,
      clock,
      pool,
      config: { ...unbounded, ...config },
    })
  const log = createLog('silent', { write: () => undefined })
  const terms = { joinMs, maxCharacters: 40_000 }
  let told = 0
  const house = {
    store,
    clock,
    close,
    receiver: open({}),
    /** Begins anew with other bounds. */
    bound: (config: Partial<typeof unbounded>): void => void (house.receiver = open(config)),
    closer: createFragmentExpirer({ writer: store.writer, ids, clock, log, terms }),
    receive: ({ index, total = 3, reference = 7, ...more }: Piece, deviceId = 'dev_s') =>
      house.receiver.receive(deviceId, {
        from: '+4915112345678',
        to: '+15005550006',
        text: `part ${index}. `,
        networkAt: clock.now(),
        inReplyTo: null,
        fingerprint: `f${told++}`,
        fragment: { reference, total, index },
        ...more,
      }),
    texts: async () =>
      (await store.read.selectFrom('messages').select('text').orderBy('id').execute()).map((row) => row.text),
    kept: async () => (await store.read.selectFrom('inbound_fragments').selectAll().execute()).length,
  }
  return house
}

export type InboundHouse = Awaited<ReturnType<typeof openInboundHouse>>

export async function removeAll(tx: Tx): Promise<void> {
  for (const table of ['messages', 'inbound_fragments'] as const) await tx.deleteFrom(table).execute()
}

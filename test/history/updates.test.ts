import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  everyMessage,
  type HistoryFilter,
  type HistoryOwner,
  type HistoryPosition,
} from '../../src/messages/history/history-query.ts'
import { WriteHorizon } from '../../src/messages/history/history-horizon.ts'
import { readHistory } from '../../src/messages/history/history.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'

let house: MessagesFixture
let horizon: WriteHorizon
beforeAll(async () => {
  // As a server does: no page passes by what is being written.
  horizon = new WriteHorizon({ now: () => house.clock.now() })
  const earliest = (rows: readonly { atMs: number }[]): number => Math.min(...rows.map(({ atMs }) => atMs))
  house = await openMessagesFixture(undefined, {
    around: (units) => ({
      ...units,
      claim: (input) => horizon.announce(input.nowMs, () => units.claim(input)),
      settleOutcomes: (settlements) =>
        horizon.announce(earliest(settlements), () => units.settleOutcomes(settlements)),
      settleReceipts: (words) => horizon.announce(earliest(words), () => units.settleReceipts(words)),
    }),
  })
})
afterAll(() => house.close())

/** A client that keeps a copy of its messages by asking for what changed, again and again from the last change that it saw. */
function createFollower(owner: HistoryOwner, limit: number, filter: Partial<HistoryFilter> = {}) {
  const copy = new Map<string, MessageRow>()
  const told: string[] = []
  let updatedAfterMs = 0

  async function follow(): Promise<void> {
    let position: HistoryPosition | null = null
    const deps = { read: house.storage.read, safeHorizonMs: () => horizon.safeMs() }
    do {
      const query = { ...everyMessage, ...filter, updatedAfterMs }
      const page = await readHistory(deps, { owner, query, position, limit })
      for (const row of page.rows) {
        copy.set(row.id, row)
        told.push(`${row.updated_at} ${row.id}`)
      }
      position = page.next
      if (position === null) updatedAfterMs = page.rows.at(-1)?.updated_at ?? updatedAfterMs
    } while (position !== null)
  }

  /** The messages that changed before now and are not in the copy as they are. */
  async function missed(): Promise<string[]> {
    const rows = await house.storage.read
      .selectFrom('messages')
      .selectAll()
      .where('account_id', '=', owner.accountId)
      .execute()
    return rows
      .filter((row) => row.updated_at < house.clock.now() && copy.get(row.id)?.sequence !== row.sequence)
      .map((row) => `${row.status} since ${row.updated_at}, known as ${copy.get(row.id)?.status}`)
  }
  return { follow, missed, copy, told }
}

const devices: Record<string, string>[] = [
  {},
  { submit_delay_ms: '700' },
  { refuse: 'now' },
  { refuse: 'busy' },
  { refuse: 'good' },
  { fail: 'unknown' },
]
const aStep = fc.oneof(
  fc.integer({ min: 1, max: 12 }).map((messages) => ({ messages, ms: 0 })),
  fc.constantFrom(1, 400, 1_000, 3_000, 15_000).map((ms) => ({ messages: 0, ms })),
)

let account = 0

test(
  'asking for what changed shows each change, whatever becomes of the messages',
  { timeout: 60_000 },
  async () => {
    const script = fc.record({
      device: fc.constantFrom(...devices),
      category: fc.constantFrom('transactional' as const, 'authentication' as const),
      limit: fc.integer({ min: 1, max: 9 }),
      steps: fc.array(aStep, { minLength: 2, maxLength: 8 }),
    })
    await fc.assert(
      fc.asyncProperty(script, async ({ device, category, limit, steps }) => {
        const accountId = `acc_${++account}`
        await house.addAccount(accountId, 1_000)
        await house.addDevice(`dev_${account}`, { accountId, settings: device })
        const follower = createFollower({ accountId, mode: 'live' }, limit)
        for (const { messages, ms } of steps) {
          if (messages > 0)
            await house.send({
              accountId,
              category,
              to: Array.from({ length: messages }, (_, i) => `+4915112345${100 + i}`),
            })
          await house.clock.advance(ms)
          await expect
            .poll(async () => {
              await follower.follow()
              return follower.missed()
            })
            .toEqual([])
        }
      }),
      { numRuns: 40 },
    )
  },
)

/** Once nothing of before is being written: devices of the accounts above go on. What changed in this millisecond is told from the next one on. */
async function followToNow({ follow }: { follow(): Promise<void> }): Promise<void> {
  await house.clock.advance(1)
  await expect.poll(() => horizon.safeMs()).toBe(house.clock.now())
  await follow()
}

test('changes come in the order of time and then of ids, and a page goes on where the one before ended', async () => {
  const accountId = `acc_${++account}`
  await house.addAccount(accountId, 100)
  await house.addDevice(`dev_${account}`, { accountId })
  for (let i = 0; i < 5; i++) {
    await house.send({ accountId, to: ['+4915112345001', '+4915112345002', '+4915112345003'] })
    await house.clock.advance(1)
  }
  const states = async () => {
    await house.clock.advance(1_000)
    return house.storage.read
      .selectFrom('messages')
      .select('status')
      .distinct()
      .where('account_id', '=', accountId)
      .execute()
  }
  await expect.poll(states).toEqual([{ status: 'delivered' }])
  const follower = createFollower({ accountId, mode: 'live' }, 2)

  await followToNow(follower)

  expect(follower.told).toHaveLength(15)
  expect(follower.told).toEqual(follower.told.toSorted())
  expect(new Set(follower.told).size).toBe(15)
})

test('erasing a text is no change', async () => {
  const accountId = `acc_${++account}`
  await house.addAccount(accountId, 100)
  await house.send({ accountId })
  await house.clock.advance(10)
  await house.storage.writer.write((tx) =>
    tx
      .updateTable('messages')
      .set({ text: null, text_redacted: 1 })
      .where('account_id', '=', accountId)
      .execute(),
  )
  const query = { ...everyMessage, updatedAfterMs: house.clock.now() - 5 }

  const page = await readHistory(
    { read: house.storage.read, safeHorizonMs: house.clock.now },
    { owner: { accountId, mode: 'live' }, query, position: null, limit: 10 },
  )

  expect(page.rows).toEqual([])
})

test('with many messages waiting for several senders every one is shown once', async () => {
  const accountId = `acc_${++account}`
  await house.addAccount(accountId, 10_000)
  const to = Array.from({ length: 100 }, (_, i) => `+4915112345${100 + i}`)
  for (let i = 0; i < 24; i++) {
    await house.send({
      accountId,
      to,
      from: ['Acme', 'Bolt', null][i % 3] as string | null,
      category: i % 2 === 0 ? 'marketing' : 'transactional',
    })
    await house.clock.advance(i % 5 === 0 ? 1 : 0)
  }
  await house.clock.advance(1)
  const follower = createFollower({ accountId, mode: 'live' }, 100)

  await followToNow(follower)

  expect(follower.copy.size).toBe(2_400)
  expect(follower.told).toHaveLength(2_400)
})

test('what waits on more routes than one statement reads is shown, all of it', async () => {
  const accountId = `acc_${++account}`
  await house.addAccount(accountId, 100)
  for (let i = 0; i < 45; i++) {
    await house.send({ accountId, from: `Shop${i}` })
    await house.clock.advance(1)
  }
  const follower = createFollower({ accountId, mode: 'live' }, 10)

  await followToNow(follower)

  expect(await follower.missed()).toEqual([])
  expect(follower.told).toHaveLength(45)
})

test('a search looks through all that waits, however long the queue and whatever it passes by', async () => {
  const accountId = `acc_${++account}`
  await house.addAccount(accountId, 10_000)
  const to = (country: number) => Array.from({ length: 100 }, (_, i) => `+${country}15112345${100 + i}`)
  for (let i = 0; i < 30; i++) {
    const of = i === 29 ? 'Last' : ['Acme', 'Bolt'][i % 2]
    await house.send({ accountId, to: to(49), from: 'Acme', clientReference: of as string })
    // Many at the same instant, too.
    await house.clock.advance(i % 7 === 0 ? 1 : 0)
  }
  await house.clock.advance(1)
  const follower = createFollower({ accountId, mode: 'live' }, 100, { clientReference: 'Last' })

  await followToNow(follower)

  expect(follower.told).toHaveLength(100)
})

test('a long queue of what was refused and waits again is shown, and hides nothing behind it', async () => {
  const accountId = `acc_${++account}`
  await house.addAccount(accountId, 10_000)
  const to = Array.from({ length: 100 }, (_, i) => `+4915112345${100 + i}`)
  for (let i = 0; i < 6; i++) await house.send({ accountId, to })
  await house.clock.advance(1)
  // As after a refusal: due again much later than they changed.
  const dueAt = house.clock.now() + 30_000
  await house.storage.writer.write((tx) =>
    tx.updateTable('queue').set({ due_at: dueAt }).where('account_id', '=', accountId).execute(),
  )
  await house.clock.advance(40_000)
  await house.send({ accountId, to })
  await house.clock.advance(1)
  const follower = createFollower({ accountId, mode: 'live' }, 100)

  await followToNow(follower)

  expect(await follower.missed()).toEqual([])
  expect(follower.copy.size).toBe(700)
})

test('what was throttled and has its place in the queue again is shown as it waits', async () => {
  const accountId = `acc_${++account}`
  await house.addAccount(accountId, 100)
  await house.send({ accountId })
  const { id } = await house.storage.read
    .selectFrom('messages')
    .select('id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  await house.clock.advance(1_000)
  // What the follower has seen last changed later than the first is due.
  await house.send({ accountId })
  await house.clock.advance(1_000)
  const follower = createFollower({ accountId, mode: 'live' }, 10)
  await followToNow(follower)
  const changedAt = house.clock.now()
  await house.storage.writer.write(async (tx) => {
    const again = { updated_at: changedAt, sequence: 3 }
    await tx
      .updateTable('messages')
      .set(again)
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute()
    await tx.updateTable('queue').set({ changed_at: changedAt }).where('message_id', '=', id).execute()
  })
  await house.clock.advance(1)
  await followToNow(follower)
  expect(await follower.missed()).toEqual([])
  expect(follower.copy.size).toBe(2)
})

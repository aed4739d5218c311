import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyMessage, maxRowsRead } from '../../src/messages/history/history-query.ts'
import { readHistory } from '../../src/messages/history/history.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { createFollower, type Follower } from './follower.ts'

let house: MessagesFixture
beforeAll(async () => {
  house = await openMessagesFixture()
})
afterAll(() => house.close())

let account = 0
const openAccount = async (granted: number): Promise<string> => {
  const accountId = `acc_${++account}`
  await house.addAccount(accountId, granted)
  return accountId
}
const followerOf = (accountId: string, ...more: [number, object?]): Follower =>
  createFollower(house.storage.read, { accountId, mode: 'live' }, ...more)

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
        const accountId = await openAccount(1_000)
        await house.addDevice(`dev_${account}`, { accountId, settings: device })
        const follower = followerOf(accountId, limit)
        for (const { messages, ms } of steps) {
          if (messages > 0)
            await house.send({
              accountId,
              category,
              to: Array.from({ length: messages }, (_, i) => `+4915112345${100 + i}`),
            })
          await house.clock.advance(ms)
          await expect
            .poll(
              async () => {
                await follower.follow()
                return follower.missed()
              },
              { timeout: 10_000 },
            )
            .toEqual([])
        }
      }),
      { numRuns: 40 },
    )
  },
)

test('changes come in the order of time, and a page goes on where the one before ended', async () => {
  const accountId = await openAccount(100)
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
  await expect.poll(states, { timeout: 10_000 }).toEqual([{ status: 'delivered' }])
  const follower = followerOf(accountId, 2)

  await follower.follow()

  const times = follower.told.map((each) => Number(each.split(' ')[0]))
  expect(follower.told).toHaveLength(15)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect(new Set(follower.told).size).toBe(15)
})

test('a message that was just accepted is shown at once, in the same millisecond', async () => {
  const accountId = await openAccount(10)
  const follower = followerOf(accountId, 10)
  for (let i = 0; i < 3; i++) {
    await house.send({ accountId })
    await follower.follow()
    expect(await follower.missed()).toEqual([])
  }
})

test('erasing a text is no change', async () => {
  const accountId = await openAccount(100)
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

  const page = await readHistory(house.storage.read, {
    owner: { accountId, mode: 'live' },
    query,
    position: null,
    limit: 10,
  })

  expect(page.rows).toEqual([])
})

test('with many messages waiting for several senders every one is shown once', async () => {
  const accountId = await openAccount(10_000)
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
  const follower = followerOf(accountId, 100)

  await follower.follow()

  expect(follower.copy.size).toBe(2_400)
  expect(follower.told).toHaveLength(2_400)
})

test('what waits under many senders is shown, all of it', async () => {
  const accountId = await openAccount(200)
  for (let i = 0; i < 120; i++) {
    await house.send({ accountId, from: `Shop${(i * 37) % 120}` })
    await house.clock.advance(1)
  }
  const follower = followerOf(accountId, 50)

  await follower.follow()

  expect(await follower.missed()).toEqual([])
  expect(follower.told).toHaveLength(120)
})

test('a search looks through all that changed, however much it passes by', async () => {
  const accountId = await openAccount(10_000)
  const to = (country: number) => Array.from({ length: 100 }, (_, i) => `+${country}15112345${100 + i}`)
  const sends = maxRowsRead / 100 + 5
  for (let i = 0; i < sends; i++) {
    const of = i === sends - 1 ? 'Last' : ['Acme', 'Bolt'][i % 2]
    await house.send({ accountId, to: to(49), from: 'Acme', clientReference: of as string })
    // Many at the same instant, too.
    await house.clock.advance(i % 7 === 0 ? 1 : 0)
  }
  const follower = followerOf(accountId, 100, { clientReference: 'Last' })

  await follower.follow()

  expect(follower.told).toHaveLength(100)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { isPostgres } from '../test-database.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { scriptedKind } from './scripted-kind.ts'

type Fate = 'well' | 'silent' | 'refuses' | 'unclear' | 'away' | 'cut'
const window = 5
/** So many a new fault may cost: those that were open when the first of them failed are among them, with a window of five. */
const maxLost = 5

const outcomes: Record<Fate, (attemptId: string) => Outcome> = {
  well: (attemptId) => ({ kind: 'accepted', networkIds: [attemptId], receiptExpected: false }),
  silent: () => ({ kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no answer in time' }),
  refuses: () => ({ kind: 'refused', lasts: 'now', code: 'no_service', networkCode: null }),
  unclear: () => ({
    kind: 'refused',
    lasts: 'now',
    code: 'network_rejected',
    networkCode: '0x45',
    mayBeRecipient: true,
  }),
  away: () => ({ kind: 'unavailable', detail: 'the session ended' }),
  cut: () => ({ kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'cut', connectionLost: true }),
}

/** Links that fare as `fates` says, and what each was handed. */
async function openLinks(fates: readonly Fate[]) {
  const handed = new Map<string, { messageTo: string; fate: Fate }[]>()
  const made: string[] = []
  const kind = scriptedKind({ window, submit: async () => ({ kind: 'unavailable', detail: 'a stub' }) })
  const current = [...fates]
  const house = await openMessagesFixture({
    ...kind,
    createLink(setup, tools, events) {
      const link = kind.createLink(setup, tools, events)
      const which = made.push(setup.id) - 1
      handed.set(setup.id, [])
      return Object.assign(link, {
        async submit({ attemptId, to }: { attemptId: string; to: string }): Promise<Outcome> {
          const fate = current[which] as Fate
          handed.get(setup.id)?.push({ messageTo: to, fate })
          await new Promise((resolve) => setImmediate(resolve))
          return outcomes[fate](attemptId)
        },
      })
    },
  })
  await house.addGrantedAccount()
  for (const [i] of fates.entries()) await house.addDevice(`dev_${i}`, { accountId: 'acc_a' })
  return { house, handed, set: (which: number, fate: Fate) => void (current[which] = fate) }
}

let sent = 0
const send = (house: MessagesFixture, count: number): Promise<unknown> =>
  house.send({ to: Array.from({ length: count }, () => `+49151${String(10_000_000 + ++sent)}`) })

const step = fc.record({
  which: fc.constantFrom(1, 2),
  fate: fc.constantFrom<Fate>('well', 'silent', 'refuses', 'away', 'cut'),
  count: fc.integer({ min: 1, max: 12 }),
})

test(
  'while one link works nothing waits for links that fail, and a new fault of one costs five messages at the most',
  { timeout: endAfter(20_000) },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const { house, handed, set } = await openLinks(['well', 'well', 'well'])
        try {
          const lost = new Map<string, number>()
          for (const { which, fate, count } of steps) {
            set(which, fate)
            const before = handed.get(`dev_${which}`)?.length ?? 0
            await send(house, count)
            await house.dispatcher.drain()
            // A second for links that are away, and the back-off of what two links have refused.
            await house.clock.advance(1_000)
            await house.dispatcher.drain()
            await house.clock.advance(15_000)
            await house.dispatcher.drain()
            const given = handed.get(`dev_${which}`)?.slice(before) ?? []
            if (given.some((each) => each.fate === 'well')) lost.delete(`dev_${which}`)
            const known = lost.get(`dev_${which}`) ?? 0
            const now = given.filter((each) => each.fate === 'silent').length
            lost.set(`dev_${which}`, known + now)
            expect(known + now).toBeLessThanOrEqual(maxLost)
            const statuses = await house.statuses()
            expect(statuses.filter((status) => status !== 'sent' && status !== 'unconfirmed')).toEqual([])
          }
          await expectSums(house.storage.read, house.clock.now())
        } finally {
          await house.close()
        }
      }),
      // On PostgreSQL each sequence opens a schema of its own.
      { numRuns: isPostgres ? 3 : sizeOf('SICK_LINKS') },
    )
  },
)

test('what a link has refused goes to the next at once, with neither a wait nor a count, and to the same one when it is alone', async () => {
  const { house, set } = await openLinks(['refuses', 'well'])
  await send(house, 20)
  await house.dispatcher.drain()
  expect(new Set(await house.statuses())).toEqual(new Set(['sent']))
  const refusals = await house.storage.read
    .selectFrom('attempts')
    .select('device_id')
    .where('outcome', '=', 'no_service')
    .execute()
  expect(refusals.length).toBeGreaterThan(0)
  expect(refusals.length).toBeLessThanOrEqual(maxLost)
  set(1, 'refuses')
  await send(house, 1)
  await house.dispatcher.drain()
  const [row] = await house.storage.read.selectFrom('queue').selectAll().execute()
  expect(row).toMatchObject({ route_key: 'live:', refusals: 1 })
  await house.close()
})

test('a link in doubt is tried with one message in each rest, beside one that works, until five went well', async () => {
  const { house, handed, set } = await openLinks(['silent', 'well'])
  const given = () => handed.get('dev_0')?.length ?? 0
  await send(house, 40)
  await house.dispatcher.drain()
  expect(given()).toBe(5)
  for (const trials of [6, 7]) {
    await house.clock.advance(300_000)
    await send(house, 20)
    await house.dispatcher.drain()
    expect(given()).toBe(trials)
  }
  set(0, 'well')
  await house.clock.advance(300_000)
  await send(house, 60)
  await house.dispatcher.drain()
  expect(given()).toBeGreaterThan(7 + 5)
  expect(house.pool.get('dev_0')?.health).toMatchObject({ status: 'online', reasons: [] })
  await house.close()
})

test('a link that refuses what the recipients may be the cause of is in doubt once it does so to five that it took before', async () => {
  const { house, set } = await openLinks(['well'])
  const to = Array.from({ length: 5 }, (_, i) => `+4915144444${i}00`)
  await house.send({ to })
  await house.dispatcher.drain()
  set(0, 'unclear')
  const reasons = () => house.pool.get('dev_0')?.health.reasons
  await send(house, 20)
  await house.dispatcher.drain()
  expect(reasons()).toEqual([])
  await house.send({ to })
  await house.dispatcher.drain()
  expect(reasons()).toEqual(['repeated_failures'])
  await house.close()
})

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  everyMessage,
  type HistoryFilter,
  type HistoryPosition,
} from '../../src/messages/history/history-query.ts'
import { readHistory } from '../../src/messages/history/history.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'

/** Messages of an account that wait under so many senders: a route each. */
const routes = 120
const limit = 50
/** Routes of one statement. */
const atOnce = 10

let house: MessagesFixture
beforeAll(async () => {
  house = await openMessagesFixture()
  await house.addAccount('acc_a', 10_000)
  // In the order of the routes they changed now early, now late.
  for (let i = 0; i < routes; i++) {
    await house.send({ from: `Shop${(i * 37) % routes}` })
    await house.clock.advance(1)
  }
})
afterAll(() => house.close())

/** Asks for all that changed, page by page: what was shown, and for each page how many statements it took and how many of them at once. */
async function follow(filter: Partial<HistoryFilter> = {}) {
  const executor = house.storage.read.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  const pages: { statements: number; atOnce: number }[] = []
  let open = 0
  const counted = vi.spyOn(executor, 'executeQuery').mockImplementation(async (...asked) => {
    const page = pages.at(-1) as (typeof pages)[0]
    page.statements += 1
    page.atOnce = Math.max(page.atOnce, ++open)
    try {
      return await execute(...asked)
    } finally {
      open -= 1
    }
  })
  const query = { ...everyMessage, ...filter, updatedAfterMs: 0 }
  const told: string[] = []
  let position: HistoryPosition | null = null
  try {
    do {
      pages.push({ statements: 0, atOnce: 0 })
      const asked = { owner: { accountId: 'acc_a', mode: 'live' as const }, query, position, limit }
      const page = await readHistory({ read: house.storage.read, safeHorizonMs: house.clock.now }, asked)
      told.push(...page.rows.map((row) => `${row.updated_at} ${row.id}`))
      position = page.next
    } while (position !== null)
  } finally {
    counted.mockRestore()
  }
  return { told, pages }
}

const everything = async (): Promise<string[]> =>
  (await house.storage.read.selectFrom('messages').select(['updated_at', 'id']).execute())
    .map((row) => `${row.updated_at} ${row.id}`)
    .toSorted()

test.each([
  ['a page', {}],
  ['a search', { category: 'transactional' }],
] as const)(
  '%s asks of many routes one statement after the other, and leaves none of them out',
  async (_, filter) => {
    const { told, pages } = await follow(filter)
    expect(told).toEqual(await everything())
    expect(pages).toHaveLength(Math.ceil(routes / limit))
    for (const page of pages) {
      // The routes, and the bounds of the four other places where messages are.
      expect(page.atOnce).toBeLessThanOrEqual(5)
      expect(page.statements).toBeLessThanOrEqual(routes / atOnce + 10)
    }
  },
)

test('a search looks behind however many wait in the place that they had', async () => {
  const to = Array.from({ length: 100 }, (_, i) => `+4915112345${100 + i}`)
  const places = 2_600
  for (let i = 0; i < places; i += 100)
    await house.send({ to, clientReference: i + 100 < places ? 'Other' : 'Last' })
  // Refused at once by a device that was busy: each waits in its place, and changed later than it is due.
  const changedAt = house.clock.now() + 1
  await house.storage.writer.write(async (tx) => {
    await tx
      .updateTable('messages')
      .set({ updated_at: changedAt })
      .where('client_reference', 'is not', null)
      .execute()
    await tx
      .updateTable('queue')
      .set({ changed_at: changedAt })
      .where('route_key', '=', routeKeyOf('live', null))
      .execute()
  })
  await house.clock.advance(2)
  const { told } = await follow({ clientReference: 'Last' })
  expect(told).toHaveLength(100)
})

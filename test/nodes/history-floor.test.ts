import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { aloneSince, raiseHistoryFloor } from '../../src/messages/core/history-floor.ts'
import { WriteHorizon } from '../../src/messages/history/history-horizon.ts'
import { joinNodes } from '../../src/storage/instance/nodes.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import type { SendRequest } from '../../src/messages/send/send-request.ts'
import { units } from '../../src/messages/units.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { type ClusterNode, openCluster } from './cluster.ts'

let house: MessagesFixture
/** Pages of a node that shares the database with another. */
let pages: WriteHorizon

beforeEach(async () => {
  house = await openMessagesFixture()
  onTestFinished(() => house.close())
  await house.addAccount('acc_a', 10)
  const { writer, read } = house.storage
  for (const epoch of [1, 2])
    await writer.write((tx) =>
      joinNodes(tx, house.clock, { epoch, name: `n${epoch}`, before: null, isAlone: false, tidies: true }),
    )
  pages = new WriteHorizon({
    now: house.clock.now,
    shared: {
      monotonicMs: house.clock.monotonicMs,
      aloneSince: () => aloneSince(read, 1),
      raise: (toMs) => writer.write((tx) => raiseHistoryFloor(tx, toMs)),
    },
  })
})

const sendAs = (request: SendRequest) => house.storage.writer.write((tx) => units.sendMessages(tx, [request]))
const floor = async () =>
  (await house.storage.read.selectFrom('instance').select('history_until').executeTakeFirstOrThrow())
    .history_until

test('a send that another node made before a page and stores after it is not stored with its time: it is made anew', async () => {
  const slow = house.request()
  await house.clock.advance(50)
  const safeMs = await pages.safeMs()
  expect(safeMs).toBeGreaterThan(slow.createdAt)
  expect(await sendAs(slow)).toEqual([{ kind: 'below_floor', floorMs: safeMs }])
  expect(await house.statuses()).toEqual([])
  expect(await sendAs(house.request())).toMatchObject([{ kind: 'accepted' }])
})

test('what another node writes of a message after a page carries a time behind it', async () => {
  await house.addDevice('dev_s', { settings: { offline: 'true' } })
  await sendAs(house.request())
  const startedMs = house.clock.now()
  await house.clock.advance(50)
  const safeMs = await pages.safeMs()
  const request = { accountId: 'acc_a', mode: 'live', routeKey: routeKeyOf('live', null), deviceId: 'dev_s', quota: 5, partsOver: 0, partsUpTo: 10 } as const // prettier-ignore
  const { found } = await house.storage.writer.write((tx) =>
    units.claim(tx, { requests: [request], nowMs: startedMs, dueMs: startedMs, fence: 2, known: 0 }),
  )
  expect(found).toEqual([1])
  const attempt = await house.storage.read.selectFrom('attempts').select('started_at').executeTakeFirst()
  expect(attempt?.started_at).toBe(safeMs)
})

test('a page waits for what another node is writing at that moment, however long that takes', async () => {
  const { writer } = house.storage
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const request = house.request()
  const slow = writer.write(async (tx) => {
    const results = await units.sendMessages(tx, [request])
    begun.resolve()
    await goOn.promise
    return results
  })
  await begun.promise
  await house.clock.advance(50)
  let safe: number | null = null
  const asking = Promise.resolve(pages.safeMs()).then((ms) => (safe = ms))
  await new Promise((resolve) => setImmediate(resolve))
  expect(safe).toBeNull()
  goOn.resolve()
  expect(await slow).toMatchObject([{ kind: 'accepted' }])
  expect(await asking).toBeGreaterThan(request.createdAt)
  expect(await house.statuses()).toEqual(['queued'])
})

test('many pages at once raise the floor once', async () => {
  await house.clock.advance(50)
  const before = house.storage.writer.commits
  const all = await Promise.all(Array.from({ length: 20 }, async () => pages.safeMs()))
  expect(new Set(all)).toEqual(new Set([await floor()]))
  expect(house.storage.writer.commits - before).toBe(1)
})

test('a node whose clock is ahead drives no other into the future', async () => {
  house.clock.jumpWallClock(Date.now() - house.clock.now() + 3_600_000)
  expect(await pages.safeMs()).toBeLessThanOrEqual(Date.now() + 1_000)
})

test('a node that is alone gives out pages up to now, and writes nothing for them', async () => {
  await house.storage.writer.write((tx) => tx.deleteFrom('nodes').where('epoch', '=', 2).execute())
  await house.clock.advance(50)
  const before = await floor()
  expect(await pages.safeMs()).toBe(house.clock.now())
  expect(await floor()).toBe(before)
})

test(
  'whoever reads in the order of creation on one node, while others accept, sees every message once',
  { timeout: 90_000 },
  async () => {
    const cluster = await openCluster()
    const [north, south] = [await cluster.start(), await cluster.start()] as [ClusterNode, ClusterNode]
    const { testKey } = await cluster.openAccount('Ada')
    await expect
      .poll(async () => (await north.client.balance(testKey)).available, { timeout: 20_000 })
      .toBeGreaterThan(100)
    const accepted: string[] = []
    const state = { isOver: false }
    const sending = Promise.all(
      Array.from({ length: 4 }, async (_, lane) => {
        for (let i = 0; i < 25; i++) {
          const { client } = i % 2 === 0 ? north : south
          const { status, body } = await client.send(testKey, {
            to: `+49151${20_000_000 + lane * 100 + i}`,
            text: 'once',
          })
          expect(status).toBe(202)
          accepted.push(...body.messages.map(({ id }) => id))
        }
      }),
    ).finally(() => (state.isOver = true))
    // As a program that copies does: on from the last that it has, and never back.
    const seen = new Set<string>()
    let last = ''
    const read = async (): Promise<void> => {
      for (const { id, created_at } of await readAscending(south, testKey, last)) {
        seen.add(id)
        last = created_at
      }
    }
    while (!state.isOver) await read()
    await sending
    await expect
      .poll(
        async () => {
          await read()
          return seen.size
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThanOrEqual(accepted.length)
    expect([...seen].toSorted()).toEqual(accepted.toSorted())
  },
)

async function readAscending(
  { url }: ClusterNode,
  key: string,
  after: string,
): Promise<{ id: string; created_at: string }[]> {
  const query = after === '' ? '' : `&created_after=${after}`
  const answer = await fetch(`${url}/api/v1/history?order=asc&limit=100${query}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return ((await answer.json()) as { data: { id: string; created_at: string }[] }).data
}

import { expect, onTestFinished, test } from 'vitest'
import { keepNumber, takeChange } from '../../src/messages/core/change-number.ts'
import { everyMessage, type HistoryQuery } from '../../src/messages/history/history-query.ts'
import { readHistory } from '../../src/messages/history/history.ts'
import { units } from '../../src/messages/units.ts'
import type { Storage } from '../../src/storage/seam/storage.ts'
import { openMessagesFixture } from '../messages-fixture.ts'
import { openFolder } from '../open-folder.ts'
import { isSomebodyWaiting } from '../postgres/waiting-writers.ts'
import { type ClusterNode, openCluster } from './cluster.ts'

/** Nodes of one database, of which one reads pages while others write: nothing is passed by, whoever begins first and whatever its clock says. */
async function openNodes() {
  const house = await openMessagesFixture(undefined, { onFolder: async () => undefined })
  onTestFinished(() => house.close())
  await house.addAccount('acc_a', 100)
  const other = await openFolder(house.dataFolder, house.clock.now())
  onTestFinished(() => other.close())
  const read = async (storage: Pick<Storage, 'read'>, query: Partial<HistoryQuery>, after?: object) => {
    const owner = { accountId: 'acc_a', mode: 'live' } as const
    const asked = {
      owner,
      query: { ...everyMessage, ...query },
      position: (after ?? null) as never,
      limit: 100,
    }
    return readHistory(storage.read, asked)
  }
  return { house, other, read }
}

const ascending = { order: 'asc' } as const
const byChange = { updatedAfterMs: 1 }

test('a send that one node made before another, and that is stored behind it, stands behind it: whoever read the other misses nothing', async () => {
  const { house, other, read } = await openNodes()
  const slow = house.request()
  await house.clock.advance(50)
  await house.storage.writer.write((tx) => units.sendMessages(tx, [house.request()]))
  const [first] = (await read(house.storage, ascending)).rows
  const { readTo } = await read(house.storage, byChange)
  await other.writer.write((tx) => units.sendMessages(tx, [slow]))
  const inOrder = await read(house.storage, ascending, { id: first!.id, updatedAtMs: null })
  const changed = await read(house.storage, byChange, readTo)
  expect(inOrder.rows).toHaveLength(1)
  expect(changed.rows.map(({ id }) => id)).toEqual(inOrder.rows.map(({ id }) => id))
})

test('what a unit has written and not committed is on no page, and whatever takes its number later commits later', async () => {
  const { house, other, read } = await openNodes()
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const [one, two] = [house.request(), house.request()]
  const slow = house.storage.writer.write(async (tx) => {
    const results = await units.sendMessages(tx, [one])
    begun.resolve()
    await goOn.promise
    return results
  })
  await begun.promise
  const happened: string[] = []
  const quick = other.writer
    .write((tx) => units.sendMessages(tx, [two]))
    .then((results) => {
      happened.push('two')
      return results
    })
  await expect
    .poll(async () => happened.length > 0 || (await isSomebodyWaiting(house.storage.read)))
    .toBe(true)
  // A page waits for nobody.
  expect((await read(other, byChange)).rows).toEqual([])
  expect((await read(other, ascending)).rows).toEqual([])
  expect(happened).toEqual([])
  goOn.resolve()
  const [[first], [second]] = await Promise.all([slow, quick])
  if (first?.kind !== 'accepted' || second?.kind !== 'accepted') throw new Error('a send was refused')
  expect(second.place.number).toBeGreaterThan(first.place.number)
  const ids = (await read(house.storage, ascending)).rows.map(({ id }) => id)
  expect(ids).toHaveLength(2)
  expect((await read(house.storage, byChange)).rows.map(({ id }) => id)).toEqual(ids)
})

test('a number that a unit took and gave up again is taken by the next, and nothing stands between', async () => {
  const { house, other } = await openNodes()
  const take = (storage: Pick<Storage, 'writer'>, fails = false) =>
    storage.writer.write(async (tx) => {
      const unit = await takeChange(tx, house.clock.now())
      const { number } = unit
      await keepNumber(tx, unit, ['acc_a'])
      if (fails) throw new Error(`gave up ${number}`)
      return number
    })
  const first = await take(house.storage)
  await expect(take(other, true)).rejects.toThrow(`gave up ${first + 1}`)
  expect(await take(house.storage)).toBe(first + 1)
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

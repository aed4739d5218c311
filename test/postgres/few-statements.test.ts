import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import type { HotUnits } from '../../src/messages/units.ts'
import { createIds } from '../../src/runtime/ids.ts'
import type { Storage } from '../../src/storage/seam/storage.ts'
import { temporaryFolder } from '../harness.ts'
import { openFolder } from '../open-folder.ts'
import { startInstance } from '../open-test-storage.ts'
import { sendRequest } from '../send-request.ts'
import { removeTestFolder } from '../test-database.ts'
import { type Crossed, watchCrossings } from './watch-crossings.ts'

const ids = createIds({ now: Date.now })
const nowMs = Date.now()
const batch = 8
let dataFolder: string
let storage: Storage<HotUnits>

beforeAll(async () => {
  dataFolder = await temporaryFolder()
  storage = await openFolder(dataFolder, nowMs)
  await storage.writer.write(async (tx) => {
    await startInstance(tx, nowMs)
    const row = { id: 'acc_a', name: 'A', state: 'active', created_at: nowMs, updated_at: nowMs } as const
    await tx.insertInto('accounts').values(row).execute()
    const opening = { accountId: 'acc_a', freeSms: 1_000, playSms: 0, lowThreshold: 0, actor: 'test' }
    await openWallets(tx, { ids, nowMs }, opening)
  })
})
afterAll(async () => {
  await storage.close()
  await removeTestFolder(dataFolder)
})

const accept = () =>
  storage.runUnit(
    'sendMessages',
    Array.from({ length: batch }, () => sendRequest({ ids, nowMs })),
  )

const claim = async (): Promise<Claimed[]> => {
  const routeKey = routeKeyOf({ mode: 'live', sender: null })
  const request = { accountId: 'acc_a', mode: 'live', routeKey, deviceId: 'dev_s', quota: batch } as const
  const requests = [{ ...request, partsOver: 0, partsUpTo: 10 }]
  const input = { requests, nowMs: Date.now(), dueMs: Date.now(), fence: 1, known: 0 }
  return (await storage.runUnit('claim', input)).claimed
}

const settle = (claimed: readonly Claimed[]) =>
  storage.runUnit(
    'settleOutcomes',
    claimed.map((each) =>
      judgeOutcome(
        each,
        { kind: 'accepted', networkIds: [`n-${each.messageId}`], receiptExpected: true },
        Date.now(),
      ),
    ),
  )

const receive = (claimed: readonly Claimed[]) =>
  storage.runUnit(
    'settleReceipts',
    claimed.map(({ deviceId, messageId }) => ({
      deviceId, networkId: `n-${messageId}`, result: 'delivered' as const, code: null, networkCode: null, atMs: Date.now(),
    })),
  ) // prettier-ignore

/** The first life reads the types of the columns, and the second may be the first to know which are alike. */
const livesBefore = 2
/** Answers that the kernel hands over in pieces make a crossing of what is posted between them: one of the lives has none. */
const lives = livesBefore + 4

async function countLife(): Promise<Record<string, Crossed>> {
  const counted: Record<string, Crossed> = {}
  let claimed: Claimed[] = []
  for (let life = 0; life < lives; life++) {
    const keep = async (name: string, run: () => Promise<unknown>): Promise<void> => {
      const { statements, crossings } = await watchCrossings(run)
      const before = life > livesBefore ? (counted[name]?.crossings ?? Infinity) : Infinity
      counted[name] = { statements, crossings: Math.min(before, crossings) }
    }
    await keep('accept', accept)
    await keep('claim', async () => (claimed = await claim()))
    expect(claimed).toHaveLength(batch)
    await keep('outcome', () => settle(claimed))
    await keep('receipt', () => receive(claimed))
  }
  return counted
}

test('a batch passes through its life in few statements and crossings, those of begin and commit among them', async () => {
  const life = Object.entries(await countLife())
  const counts = life.map(([name, { statements, crossings }]) => [name, statements.length, crossings])
  expect(counts).toEqual([
    ['accept', 4, 3],
    ['claim', 6, 3],
    ['outcome', 6, 3],
    ['receipt', 6, 3],
  ])
})

test('sends with ways take one statement more for all of them, and run again alone where they store or note one, once a day', async () => {
  const ways = ['w_b', 'w_a', 'w_c'].map((id) => ({ id, text: '{"stages":[{"use":["own"]}]}' }))
  const acceptAt = async (atMs: number): Promise<string[]> => {
    const sends = ways.map((way) => sendRequest({ ids, nowMs: atMs }, { ways: [way] }))
    return (await watchCrossings(() => storage.runUnit('sendMessages', sends))).statements
  }
  const aboutWays = async (atMs = nowMs) => (await acceptAt(atMs)).filter((text) => /\bways\b/.test(text))
  for (let life = 0; life < 3; life++) await accept()
  expect(await aboutWays()).toHaveLength(3)
  expect(await aboutWays()).toHaveLength(1)
  await storage.writer.write((tx) => tx.updateTable('ways').set({ used_at: null }).execute())
  expect(await aboutWays()).toHaveLength(4)
  expect(await aboutWays()).toHaveLength(1)
  const stored = await storage.read.selectFrom('ways').select(['id', 'used_at']).orderBy('id').execute()
  expect(stored.map(({ id }) => id)).toEqual(['w_a', 'w_b', 'w_c'])
  for (const { used_at } of stored) expect(used_at).toBeGreaterThanOrEqual(nowMs)
})

test('the texts find the rows that they change by whole keys, by a plan that was made before there were any', async () => {
  const life = await countLife()
  const changing = Object.values(life).flatMap(({ statements }) =>
    statements.filter((text) => text.startsWith('with ')),
  )
  expect(changing).toHaveLength(4)
  const plans = await storage.writer.write(async (tx) => {
    const lines: string[] = []
    for (const text of changing) {
      const { rows } = await sql
        .raw<{ 'QUERY PLAN': string }>(`explain (generic_plan, costs off) ${text}`)
        .execute(tx)
      lines.push(...rows.map((row) => row['QUERY PLAN'].trim()))
    }
    return lines
  })
  expect(plans.filter((line) => line.startsWith('->  Index Scan')).length).toBeGreaterThan(10)
  // A key that was partly given once for all rows would be compared behind the index, with every row of an account.
  expect(plans.filter((line) => /^Join Filter|Seq Scan/.test(line))).toEqual([])
})

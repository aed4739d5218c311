import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWallets } from '../../src/ledger/grants.ts'
import type { HotUnits } from '../../src/messages/units.ts'
import { createIds } from '../../src/runtime/ids.ts'
import type { Storage } from '../../src/storage/seam/storage.ts'
import { temporaryFolder } from '../harness.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { openFolder } from '../open-folder.ts'
import { startInstance } from '../open-test-storage.ts'
import { sendRequest } from '../send-request.ts'
import { databaseSettings, removeTestFolder } from '../test-database.ts'

const ids = createIds({ now: Date.now })
const nowMs = Date.now()
const accounts = Array.from({ length: 8 }, () => ids('acc'))
let dataFolder: string
const nodes: Storage<HotUnits>[] = []

beforeAll(async () => {
  dataFolder = await temporaryFolder()
  for (let node = 0; node < 4; node++) nodes.push(await openFolder(dataFolder, nowMs))
  await nodes[0]!.writer.write(async (tx) => {
    await startInstance(tx, nowMs)
    for (const id of accounts) {
      const row = { id, name: 'A', state: 'active', created_at: nowMs, updated_at: nowMs } as const
      await tx.insertInto('accounts').values(row).execute()
      const opening = { accountId: id, freeSms: 1_000, playSms: 0, lowThreshold: 0, actor: 'test' }
      await openWallets(tx, { ids, nowMs }, opening)
    }
  })
})
afterAll(() => removeTestFolder(dataFolder))

/** The server counts them when the sessions that were in one have ended. */
async function countDeadlocks(): Promise<number> {
  const client = new Client({ connectionString: databaseSettings(dataFolder)['DATABASE_URL'] as string })
  await client.connect()
  const { rows } = await client.query<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  await client.end()
  return Number(rows[0]?.deadlocks)
}

test('four nodes accept sends of the same accounts at once: each takes one number more, and no two ever wait for each other', async () => {
  const rounds = 5
  await Promise.all(
    nodes.map(async (node, n) => {
      for (let round = 0; round < rounds; round++) {
        // Of all accounts, from another one on and in another direction than the other nodes.
        const turned = [...accounts.slice(n * 2), ...accounts.slice(0, n * 2)]
        const named = n % 2 === 0 ? turned : turned.toReversed()
        const results = await node.runUnit(
          'sendMessages',
          named.map((accountId) => sendRequest({ ids, nowMs: Date.now() }, { accountId })),
        )
        expect(results.map(({ kind }) => kind)).toEqual(named.map(() => 'accepted'))
      }
    }),
  )
  const { read } = nodes[0]!
  const changes = await read.selectFrom('message_changes').select(['account_id', 'number']).execute()
  for (const ofAccount of Map.groupBy(changes, ({ account_id }) => account_id).values())
    expect(new Set(ofAccount.map(({ number }) => number)).size).toBe(nodes.length * rounds)
  expect(nodes.map(({ writer }) => writer.widened)).toEqual([0, 0, 0, 0])
  await expectSums(read, Date.now())
  await Promise.all(nodes.map((node) => node.close()))
  expect(await countDeadlocks()).toBe(0)
})

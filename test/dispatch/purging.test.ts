import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import type { SweepersDeps } from '../../src/dispatch/sweepers/sweepers.ts'
import { keepUnmatched } from '../../src/messages/outcomes/unmatched-receipts.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'
import { fillOldRows, forgotten, many } from './old-rows.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
})
afterEach(() => house.close())

/** A writer that notes how many rows the largest of its units changed. */
function countingWriter(): { writer: SweepersDeps['writer']; largest: () => number } {
  let largest = 0
  const total = isPostgres
    ? sql<{ n: number }>`select sum(n_tup_ins + n_tup_upd + n_tup_del) as n from pg_stat_xact_user_tables`
    : sql<{ n: number }>`select total_changes() as n`
  const write: SweepersDeps['writer']['write'] = (unit) =>
    house.storage.writer.write(async (tx) => {
      const before = (await total.execute(tx)).rows[0]!.n
      const result = await unit(tx)
      largest = Math.max(largest, (await total.execute(tx)).rows[0]!.n - before)
      return result
    })
  return { writer: { write } as SweepersDeps['writer'], largest: () => largest }
}

test('everything that is only kept for a time goes, a page in each transaction, and what is young or without an end stays', async () => {
  await fillOldRows(house)
  const { writer, largest } = countingWriter()
  const { retention, receiptExpirer, trafficPurger } = house.janitors({ writer })
  await retention.sweepAll()
  await receiptExpirer.sweepAll()
  await trafficPurger.sweepAll()
  expect(
    Object.fromEntries(
      await Promise.all(forgotten.map(async (table) => [table, await house.countOf(table)])),
    ),
  ).toEqual({
    inbound_seen: 1,
    parked_receipts: 1,
    receipts_expected: 1,
    // The grant of the fixture is one.
    audit_log: 2,
    api_key_usage: 1,
    opt_outs: 2,
    device_states: 2,
    device_samples: 1,
    unread_forms: 1,
    reach_checks: 1,
    server_runs: 1,
    nodes: 2,
    traffic: 2,
    traffic_times: 2,
    idempotency_keys: 1,
  })
  expect(largest()).toBe(500)
})

test('a log of changes that is to be kept for ever is', async () => {
  await fillOldRows(house)
  await house.janitors({ settings: { ONESIXTY_AUDIT_DAYS: '0' } }).retention.sweepAll()
  expect(await house.countOf('audit_log')).toBe(1_202)
})

test('however many keys must live on until their messages are final, those behind them go', async () => {
  const later = { expiresAt: house.clock.now() + 20 * dayMs }
  const keyed = (i: number) => ({ ...later, idempotency: { key: `k${i}`, fingerprint: 'f' } })
  await Promise.all(many((i) => house.send(keyed(i)), 600))
  house.clock.jumpWallClock(1_000)
  await house.addDevice('dev_s', { settings: { refuse: 'good' }, senders: ['ACME'] })
  await house.storage.writer.write((tx) => tx.updateTable('queue').set({ restore_hold: 1 }).execute())
  await house.send({ ...keyed(600), from: 'ACME' })
  await house.dispatcher.drain()
  const { retention } = house.janitors()
  house.passDays(8)
  await retention.sweepAll()
  await retention.sweepAll()
  const keys = await house.storage.read.selectFrom('idempotency_keys').select('key').execute()
  expect(keys).toHaveLength(600)
  expect(keys).not.toContainEqual({ key: 'k600' })
})

test.for(['fresh', 'analysed'])(
  'each page is found by an index in the order of age, on %s tables',
  async (state) => {
    if (state === 'analysed') {
      await fillOldRows(house)
      await house.storage.writer.write(analyse)
    }
    const { retention, receiptExpirer, trafficPurger } = house.janitors()
    const sent = await statementsOf(house.storage.read, async () => {
      await retention.sweepAll()
      await receiptExpirer.sweepAll()
      await trafficPurger.sweepAll()
    })
    const statements = new Map(sent.map((query) => [query.sql, query]))
    const planOf = (table: string): Promise<string[]> =>
      stepsOf(
        house.dataFolder,
        [...statements.values()].find(({ sql: text }) => new RegExp(`from "?${table}"?\\s`).test(text))!,
      )
    for (const table of forgotten) {
      const plan = await planOf(table)
      if (isPostgres) {
        const own = plan.filter((step) => new RegExp(`^(SCAN|SEARCH) ${table}\\b`).test(step))
        expect({ table, own }).toEqual({ table, own: [expect.stringMatching(/^SEARCH \w+ BY \w+ \(\w/)] })
        continue
      }
      expect({ table, plan: plan[0] }).toEqual({
        table,
        plan: expect.stringMatching(/^SEARCH \S+ USING (COVERING INDEX|INDEX|PRIMARY KEY)/),
      })
      expect({ table, loose: plan.filter((step) => /^SCAN|B-TREE/.test(step)) }).toEqual({
        table,
        loose: [],
      })
    }
  },
)

test('of the receipts that nobody waits for a device keeps so many, the newest, and no other device loses any', async () => {
  for (const id of ['dev_a', 'dev_b']) await house.addDevice(id)
  const word = (deviceId: string, i: number) =>
    ({
      deviceId,
      networkId: `n${i}`,
      alternatives: [`x${i}`, `y${i}`],
      result: 'delivered',
      code: null,
      networkCode: null,
      atMs: house.clock.now() + i,
    }) as const
  await house.storage.writer.write(async (tx) => {
    await keepUnmatched(
      tx,
      many((i) => word('dev_a', i), 1_777),
    )
    await keepUnmatched(
      tx,
      many((i) => word('dev_b', i), 1_000),
    )
  })
  const { writer, largest } = countingWriter()
  const settings = { ONESIXTY_PARKED_RECEIPTS: '1000' }
  await house.janitors({ writer, settings }).receiptExpirer.sweepAll()
  const left = await house.storage.read
    .selectFrom('parked_receipts')
    .select([
      'device_id',
      'reading',
      sql<number>`count(*)`.as('count'),
      sql<number>`min(received_at)`.as('oldest'),
    ])
    .groupBy(['device_id', 'reading'])
    .orderBy('device_id')
    .orderBy('reading')
    .execute()
  const startMs = house.clock.now()
  expect(left).toEqual([
    ...[0, 1, 2].map((reading) => ({ device_id: 'dev_a', reading, count: 1_000, oldest: startMs + 777 })),
    ...[0, 1, 2].map((reading) => ({ device_id: 'dev_b', reading, count: 1_000, oldest: startMs })),
  ])
  expect(largest()).toBeLessThanOrEqual(500)
})

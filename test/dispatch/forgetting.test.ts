import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs, utcDay } from '../../src/clock.ts'
import type { JanitorsDeps } from '../../src/dispatch/janitors.ts'
import { createIds } from '../../src/ids.ts'
import { park } from '../../src/messages/parked-receipts.ts'
import type { Database } from '../../src/storage/schema.ts'
import { insertRows } from '../../src/storage/sets.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
})
afterEach(() => house.close())

const countOf = async (table: keyof Database): Promise<number> =>
  (
    await house.storage.read
      .selectFrom(table)
      .select(sql`1`.as('one'))
      .execute()
  ).length
const insert: typeof insertRows extends (tx: never, ...rest: infer R) => unknown
  ? (...rest: R) => Promise<number>
  : never = (...rest) => house.storage.writer.write((tx) => insertRows(tx, ...rest))
const many = <T>(make: (i: number) => T, count = 1_200): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

/** A writer that notes how many rows the largest of its units changed. */
function countingWriter(): { writer: JanitorsDeps['writer']; largest: () => number } {
  let largest = 0
  const total = isPostgres
    ? sql<{ n: number }>`select sum(n_tup_ins + n_tup_upd + n_tup_del) as n from pg_stat_xact_user_tables`
    : sql<{ n: number }>`select total_changes() as n`
  const write: JanitorsDeps['writer']['write'] = (unit) =>
    house.storage.writer.write(async (tx) => {
      const before = (await total.execute(tx)).rows[0]!.n
      const result = await unit(tx)
      largest = Math.max(largest, (await total.execute(tx)).rows[0]!.n - before)
      return result
    })
  return { writer: { write } as JanitorsDeps['writer'], largest: () => largest }
}

/** Old rows of everything that is forgotten, and one young one each. */
async function fill(): Promise<void> {
  const nowMs = house.clock.now()
  const oldMs = nowMs - 1_000 * dayMs
  const oldIds = createIds({ now: () => oldMs })
  const ages = [...many(() => oldMs), nowMs]
  const receipt = {
    device_id: 'dev_s',
    account_id: 'acc_a',
    mode: 'live',
    attempt_number: 1,
    wire_parts: 1,
  } as const
  const state = { device_id: 'dev_s', status: 'online', reasons: '[]' } as const
  await house.addDevice('dev_s', { mode: 'test' })
  const key = {
    id: 'key_a',
    account_id: 'acc_a',
    mode: 'live',
    last_four: 'abcd',
    name: 'K',
    scopes: '[]',
    created_at: oldMs,
  } as const
  await insert(
    'api_keys',
    many((i) => ({ ...key, id: `key_${i}`, hash: String(i).padStart(64, '0') }), 50),
  )
  await insert(
    'api_key_usage',
    many((i) => ({ key_id: `key_${i % 50}`, day: utcDay(nowMs) - 91 - Math.floor(i / 50), parts: 1 })),
  )
  await insert('api_key_usage', [{ key_id: 'key_1', day: utcDay(nowMs), parts: 1 }])
  await insert(
    'inbound_seen',
    ages.map((received_at, i) => ({ device_id: 'dev_s', fingerprint: `f${i}`, received_at })),
  )
  await insert(
    'parked_receipts',
    ages.map((received_at, i) => ({
      network_id: `p${i}`,
      device_id: 'dev_s',
      reading: 0,
      body: '{}',
      received_at,
    })),
  )
  await insert(
    'receipts_expected',
    ages.map((at, i) => ({
      ...receipt,
      network_id: `n${i}`,
      message_id: `msg_${i}`,
      sent_at: at,
      closed_at: at,
    })),
  )
  await insert(
    'audit_log',
    ages.map((at) => ({
      id: at === nowMs ? house.ids('aud') : oldIds('aud'),
      account_id: 'acc_a',
      actor: 'test',
      action: 'x.y',
      detail: '{}',
      created_at: at,
    })),
  )
  await insert(
    'opt_outs',
    ages.map((at, i) => ({
      account_id: 'acc_a',
      mode: 'test',
      recipient: `+49151${i}`,
      created_at: at,
      forget_at: at,
    })),
  )
  await insert('opt_outs', [
    { account_id: 'acc_a', mode: 'live', recipient: '+4915112345678', created_at: oldMs, forget_at: null },
  ])
  await insert('device_states', [
    ...ages.map((at, i) => ({ ...state, from_at: i + 1, until_at: at })),
    { ...state, from_at: 5_000, until_at: null },
  ])
  await insert(
    'device_samples',
    ages.map((at, i) => ({
      device_id: 'dev_s',
      at: at - i,
      battery: 50,
      charging: 0 as const,
      network: null,
    })),
  )
  await insert(
    'server_runs',
    ages.map((at, i) => ({ epoch: i, started_at: 0, seen_at: at })),
  )
  // One that lives stays, however long ago it began.
  const node = { name: 'n', started_at: 0, beat_at: 0, tidies: 1 as const }
  await insert('nodes', [
    ...ages.map((at, i) => ({ ...node, epoch: i, left_at: at })),
    { ...node, epoch: 5_000, left_at: null },
  ])
  const counted = { account_id: 'acc_a', mode: 'live' } as const
  for (const [grain, days] of [
    ['hours6', 400],
    ['minutes5', 8],
  ] as const) {
    const buckets = [...many((i) => nowMs - days * dayMs - i - 1), nowMs - days * dayMs] // prettier-ignore
    await insert('traffic', buckets.map((bucket) => ({ ...counted, grain, bucket, accepted: 1 }))) // prettier-ignore
    await insert('traffic_times', buckets.map((bucket) => ({ ...counted, grain, bucket, measure: 'to_sent', step: 1, messages: 1 }))) // prettier-ignore
  }
  await insert(
    'idempotency_keys',
    ages.map((at, i) => ({
      account_id: 'acc_a',
      mode: 'live',
      key: `k${i}`,
      fingerprint: 'f',
      send_id: `snd_${i}`,
      warnings: '[]',
      balance_available: 0,
      // Old ones came one after the other.
      created_at: at === oldMs ? at + i : at,
    })),
  )
}

const forgotten = [
  'inbound_seen',
  'parked_receipts',
  'receipts_expected',
  'audit_log',
  'api_key_usage',
  'opt_outs',
  'device_states',
  'device_samples',
  'server_runs',
  'nodes',
  'traffic',
  'traffic_times',
  'idempotency_keys',
] as const

test('everything that is only kept for a time goes, a page in each transaction, and what is young or without an end stays', async () => {
  await fill()
  const { writer, largest } = countingWriter()
  const { retention, receiptCloser, trafficForgetter } = house.janitors({ writer })
  await retention.sweepAll()
  await receiptCloser.sweepAll()
  await trafficForgetter.sweepAll()
  expect(
    Object.fromEntries(await Promise.all(forgotten.map(async (table) => [table, await countOf(table)]))),
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
    server_runs: 1,
    nodes: 2,
    traffic: 2,
    traffic_times: 2,
    idempotency_keys: 1,
  })
  expect(largest()).toBe(500)
})

test('a log of changes that is to be kept for ever is', async () => {
  await fill()
  await house.janitors({ settings: { ONESIXTY_AUDIT_DAYS: '0' } }).retention.sweepAll()
  expect(await countOf('audit_log')).toBe(1_202)
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
      await fill()
      await house.storage.writer.write(analyse)
    }
    const { retention, receiptCloser, trafficForgetter } = house.janitors()
    const sent = await statementsOf(house.storage.read, async () => {
      await retention.sweepAll()
      await receiptCloser.sweepAll()
      await trafficForgetter.sweepAll()
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
  const word = (deviceId: string, i: number) => ({
    deviceId, networkId: `n${i}`, alternatives: [`x${i}`, `y${i}`], result: 'delivered', code: null, networkCode: null, atMs: house.clock.now() + i,
  } as const) // prettier-ignore
  await house.storage.writer.write(async (tx) => {
    await park(tx, many((i) => word('dev_a', i), 1_777)) // prettier-ignore
    await park(tx, many((i) => word('dev_b', i), 1_000)) // prettier-ignore
  })
  const { writer, largest } = countingWriter()
  const settings = { ONESIXTY_PARKED_RECEIPTS: '1000' }
  await house.janitors({ writer, settings }).receiptCloser.sweepAll()
  const left = await house.storage.read
    .selectFrom('parked_receipts')
    .select(['device_id', 'reading', sql<number>`count(*)`.as('count'), sql<number>`min(received_at)`.as('oldest')])
    .groupBy(['device_id', 'reading'])
    .orderBy('device_id')
    .orderBy('reading')
    .execute() // prettier-ignore
  const startMs = house.clock.now()
  expect(left).toEqual([
    ...[0, 1, 2].map((reading) => ({ device_id: 'dev_a', reading, count: 1_000, oldest: startMs + 777 })),
    ...[0, 1, 2].map((reading) => ({ device_id: 'dev_b', reading, count: 1_000, oldest: startMs })),
  ])
  expect(largest()).toBeLessThanOrEqual(500)
})

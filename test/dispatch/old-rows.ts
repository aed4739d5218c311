import { dayMs, utcDay } from '../../src/runtime/clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import type { TendedHouse } from '../messages/tended-house.ts'

export const many = <T>(make: (i: number) => T, count = 1_200): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

/** The tables of what is only kept for a time. */
export const forgotten = [
  'inbound_seen',
  'parked_receipts',
  'receipts_expected',
  'audit_log',
  'api_key_usage',
  'opt_outs',
  'device_states',
  'device_samples',
  'unread_forms',
  'reach_checks',
  'server_runs',
  'nodes',
  'traffic',
  'traffic_times',
  'idempotency_keys',
] as const

type Insert = typeof insertRows extends (tx: never, ...rest: infer R) => unknown
  ? (...rest: R) => Promise<number>
  : never

/** Old rows of everything that is forgotten, and one young one each. */
export async function fillOldRows(house: TendedHouse): Promise<void> {
  const insert: Insert = (...rest) => house.storage.writer.write((tx) => insertRows(tx, ...rest))
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
    'unread_forms',
    ages.map((at, i) => ({
      device_id: 'dev_s',
      kind: 'word' as const,
      form: `a${i}`,
      times: 1,
      first_at: at,
      last_at: at,
    })),
  )
  await insert(
    'reach_checks',
    ages.map((at, i) => ({
      nonce_hash: String(i).padStart(64, '0'),
      created_at: at,
      opened_at: null,
      opened_from: null,
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
    const buckets = [...many((i) => nowMs - days * dayMs - i - 1), nowMs - days * dayMs]
    await insert(
      'traffic',
      buckets.map((bucket) => ({ ...counted, grain, bucket, accepted: 1 })),
    )
    await insert(
      'traffic_times',
      buckets.map((bucket) => ({ ...counted, grain, bucket, measure: 'to_sent', step: 1, messages: 1 })),
    )
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

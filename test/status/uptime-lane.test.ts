import { afterEach, beforeEach, expect, test } from 'vitest'
import { readLanes, readSamples, readSince } from '../../src/devices/status/uptime-lane.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { type DevicesFixture, openDevicesFixture } from './devices-fixture.ts'

let house: DevicesFixture
beforeEach(async () => {
  house = await openDevicesFixture()
  await house.addAccount('acc_a')
  await house.addDevice('dev_a', 'acc_a')
})
afterEach(() => house.close())

const minute = 60_000
const day = 1_440 * minute
type Status = 'online' | 'offline' | 'degraded'
type Row = readonly [fromMinute: number, untilMinute: number | null, status: Status]

/** Fills the past, in minutes. */
async function past(states: readonly Row[], runs: readonly (readonly [number, number])[]): Promise<void> {
  await house.storage.writer.write(async (tx) => {
    const rows = states.map(([from, until, status]) => ({
      device_id: 'dev_a',
      from_at: from * minute,
      until_at: until === null ? null : until * minute,
      status,
      reasons: '[]',
    }))
    await insertRows(tx, 'device_states', rows)
    await insertRows(
      tx,
      'server_runs',
      runs.map(([from, until], epoch) => ({ epoch, started_at: from * minute, seen_at: until * minute })),
    )
  })
}
async function lane(fromMinute: number, untilMinute: number): Promise<(readonly [number, number, string])[]> {
  const lanes = await readLanes(house.storage.read, ['dev_a'], {
    fromMs: fromMinute * minute,
    untilMs: untilMinute * minute,
  })
  return lanes
    .get('dev_a')!
    .map(({ fromMs, untilMs, status }) => [fromMs / minute, untilMs / minute, status] as const)
}

test('a lane shows what a device was, from what it was before the span to what it is', async () => {
  await past(
    [
      [0, 110, 'online'],
      [110, 120, 'offline'],
      [120, null, 'online'],
    ],
    [[0, 200]],
  )
  expect(await lane(100, 200)).toEqual([
    [100, 110, 'online'],
    [110, 120, 'offline'],
    [120, 200, 'online'],
  ])
})

test('before anybody said anything it is unknown, also for a device that never was heard of', async () => {
  await past([[150, null, 'online']], [[120, 200]])
  expect(await lane(100, 200)).toEqual([
    [100, 150, 'unknown'],
    [150, 200, 'online'],
  ])
})

test('while no server ran nothing is claimed of it; a quick restart is no gap', async () => {
  await past(
    [[0, null, 'online']],
    [
      [0, 120],
      [120.3, 140],
      [160, 200],
    ],
  )
  expect(await lane(100, 200)).toEqual([
    [100, 140, 'online'],
    [140, 160, 'unwatched'],
    [160, 200, 'online'],
  ])
})

test('while one of several servers ran there is no gap, however the others came and went', async () => {
  await past(
    [[0, null, 'online']],
    [
      [0, 150],
      [110, 120],
      [148, 200],
    ],
  )
  expect(await lane(100, 200)).toEqual([[100, 200, 'online']])
})

test('a gap at both ends is one too, and cuts through changes', async () => {
  await past(
    [
      [0, 150, 'online'],
      [150, null, 'offline'],
    ],
    [
      [110, 145],
      [155, 180],
    ],
  )
  expect(await lane(100, 200)).toEqual([
    [100, 110, 'unwatched'],
    [110, 145, 'online'],
    [145, 155, 'unwatched'],
    [155, 180, 'offline'],
    [180, 200, 'unwatched'],
  ])
})

test('a restless device gives no more stretches than can be seen, and none of its troubles is lost', async () => {
  const states = Array.from({ length: 1_440 }, (_, i): Row => [
    i,
    i === 1_439 ? null : i + 1,
    i % 2 === 0 ? 'online' : 'offline',
  ])
  await past(states, [[0, 1_440]])
  const told = await lane(0, 1_440)
  expect(told.length).toBeLessThanOrEqual(401)
  expect(told.map(([, until]) => until).slice(0, -1)).toEqual(told.map(([from]) => from).slice(1))
  expect(told.every(([, , status]) => status === 'offline')).toBe(true)
})

test('of more measurements than a curve shows, the lowest of each piece stands for it', async () => {
  const samples = Array.from({ length: 90 * 144 }, (_, i) => ({
    device_id: 'dev_a',
    at: i * 10 * minute,
    battery: i === 5_000 ? 3 : 50,
    charging: 0 as const,
    network: null,
  }))
  await house.storage.writer.write((tx) => insertRows(tx, 'device_samples', samples))
  const told = await readSamples(house.storage.read, 'dev_a', { fromMs: 0, untilMs: 90 * day })
  expect(told).toHaveLength(96)
  expect(told.map(({ at }) => at)).toEqual(told.map(({ at }) => at).toSorted((one, other) => one - other))
  expect(told.filter(({ battery }) => battery === 3)).toHaveLength(1)
  expect(await readSamples(house.storage.read, 'dev_a', { fromMs: 0, untilMs: 60 * minute })).toHaveLength(6)
})

const curve = isPostgres ? /^SEARCH |^SORT (\(+at - |seen_at$)/ : /^SEARCH |^USE TEMP B-TREE FOR GROUP BY$/

test.each(['fresh', 'analysed'])('reading a past of any length searches, on %s tables', async (state) => {
  if (state === 'analysed') {
    const many = Array.from({ length: 3_000 }, (_, i): Row => [i, i + 1, i % 2 === 0 ? 'online' : 'offline'])
    await past(many, [[0, 3_000]])
    await house.storage.writer.write(analyse)
  }
  const { read } = house.storage
  const span = { fromMs: 2_900 * minute, untilMs: 3_000 * minute + day }
  const sent = await statementsOf(read, async () => {
    await readLanes(read, ['dev_a'], span)
    await readSamples(read, 'dev_a', span)
    await readSince(read, ['dev_a'])
  })
  const steps = await stepsOf(house.dataFolder, ...sent)
  // PostgreSQL rightly reads a handful of samples and runs whole, once it knows how few they are.
  const searches = isPostgres && state === 'analysed' ? 2 : 4
  expect(steps.filter((step) => step.startsWith('SEARCH '))).toHaveLength(searches)
  // The hundred pieces of a curve are sorted, and nothing else.
  expect(steps.filter((step) => !curve.test(step))).toEqual([])
})

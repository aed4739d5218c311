import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeDevice, deviceDocument } from '../../src/cli/device/print-device.ts'
import {
  type DeviceLease,
  releaseLeases,
  renewLeases,
  takeLeases,
} from '../../src/devices/core/device-lease.ts'
import { listDevices } from '../../src/devices/status/list-devices.ts'
import { usualTimes } from '../../src/runtime/times.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

let base: TestStorage
const nowMs = 1_000_000
const { leaseMs } = usualTimes

beforeEach(async () => {
  base = await openTestStorage({ isStarted: false })
  await base.storage.writer.write((tx) =>
    tx.insertInto('instance').values({ id: 1, epoch: 1, directory_version: 7, created_at: 1 }).execute(),
  )
})

afterEach(() => base.close())

const put = (...ids: string[]): Promise<unknown> =>
  base.storage.writer.write((tx) =>
    tx
      .insertInto('devices')
      .values(
        ids.map((id) => ({
          id,
          mode: 'live' as const,
          kind: 'smpp',
          name: id,
          state: 'enabled' as const,
          senders: '[]',
          settings: '{}',
          created_at: 1,
          updated_at: 5,
        })),
      )
      .execute(),
  )

const take = (owner: string, deviceIds: string[], atMs = nowMs, isAlone = false): Promise<DeviceLease[]> =>
  base.storage.writer.write((tx) => takeLeases(tx, { owner, isAlone, deviceIds, nowMs: atMs }))
const renew = (owner: string, leases: DeviceLease[], atMs: number): Promise<DeviceLease[]> =>
  base.storage.writer.write((tx) => renewLeases(tx, { owner, leases, nowMs: atMs }))
const release = (owner: string, leases: DeviceLease[]): Promise<number> =>
  base.storage.writer.write((tx) => releaseLeases(tx, { owner, leases }))
const rowOf = (id: string) =>
  base.storage.read.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const untilOf = async (id: string): Promise<number | null> => (await rowOf(id)).lease_until

test('a lease is of one owner until it runs out', async () => {
  await put('dev_a', 'dev_b')
  const had = await take('one', ['dev_a', 'dev_b'])
  expect(had).toEqual([
    { deviceId: 'dev_a', token: 1 },
    { deviceId: 'dev_b', token: 1 },
  ])
  expect(await take('two', ['dev_a', 'dev_b'], nowMs + leaseMs - 1)).toEqual([])
  expect(await take('two', ['dev_a'], nowMs + leaseMs)).toEqual([{ deviceId: 'dev_a', token: 2 }])
  expect(await renew('one', had, nowMs + leaseMs)).toEqual([{ deviceId: 'dev_b', token: 1 }])
})

test('an owner takes its own again at once, and an earlier process of its name has it no more', async () => {
  await put('dev_a')
  const had = await take('one', ['dev_a'])
  const has = await take('one', ['dev_a'], nowMs + 10)
  expect(has).toEqual([{ deviceId: 'dev_a', token: 2 }])
  expect(await renew('one', had, nowMs + 20)).toEqual([])
  await release('one', had)
  expect(await take('two', ['dev_a'], nowMs + 30)).toEqual([])
  expect(await renew('one', has, nowMs + 40)).toEqual(has)
})

test('who is proven to be alone takes over at once, under a new token', async () => {
  await put('dev_a')
  const had = await take('one', ['dev_a'])
  expect(await take('two', ['dev_a'], nowMs, true)).toEqual([{ deviceId: 'dev_a', token: 2 }])
  expect(await renew('one', had, nowMs)).toEqual([])
})

test('a lease that is released is free at once, and nobody releases what is of another', async () => {
  await put('dev_a')
  const had = await take('one', ['dev_a'])
  await release('two', had)
  expect(await take('two', ['dev_a'])).toEqual([])
  await release('one', had)
  expect(await take('two', ['dev_a'])).toEqual([{ deviceId: 'dev_a', token: 2 }])
})

test('no wall clock that is set back shortens a lease', async () => {
  await put('dev_a')
  const had = await take('one', ['dev_a'])
  await renew('one', had, nowMs - 600_000)
  expect(await untilOf('dev_a')).toBe(nowMs + leaseMs)
  await take('one', ['dev_a'], nowMs - 600_000)
  expect(await untilOf('dev_a')).toBe(nowMs + leaseMs)
})

test('a device under lease has not changed', async () => {
  await put('dev_a')
  const before = await rowOf('dev_a')
  const had = await take('one', ['dev_a'])
  await renew('one', had, nowMs + 1)
  await release('one', had)
  expect(await rowOf('dev_a')).toEqual({ ...before, lease_token: 1 })
  const instance = await base.storage.read.selectFrom('instance').selectAll().executeTakeFirstOrThrow()
  expect(instance.directory_version).toBe(7)
})

test('the list of devices says who runs each', async () => {
  await put('dev_a', 'dev_b')
  const had = await take('one', ['dev_a'])
  const listed = async () =>
    (await listDevices(base.storage.read, 'all', { afterId: null, limit: 9 })).devices
  const lines = async () => (await listed()).map(describeDevice)
  expect((await listed()).map(({ lease }) => lease)).toEqual([{ node: 'one', until: nowMs + leaseMs }, null])
  expect((await listed()).map(deviceDocument)).toMatchObject([
    { lease: { node: 'one', until: '1970-01-01T00:17:25.000Z' } },
    { lease: null },
  ])
  expect(await lines()).toEqual([
    expect.stringContaining('run by one until 1970-01-01T00:17:25.000Z'),
    expect.not.stringContaining('run by'),
  ])
  await release('one', had)
  expect((await listed()).map(({ lease }) => lease)).toEqual([null, null])
})

test('in whatever order owners take, renew and release, no token is given twice and one at most holds', async () => {
  const owner = fc.constantFrom('one', 'two', 'three')
  const step = fc.record({
    owner,
    does: fc.constantFrom('take', 'renew', 'release'),
    waitMs: fc.integer({ min: -5_000, max: 60_000 }),
  })
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const id = `dev_${run++}`
      await put(id)
      const had: Record<string, DeviceLease[]> = {}
      let holder: string | null = null
      let token = 0
      let atMs = nowMs
      for (const { owner: who, does, waitMs } of steps) {
        atMs += waitMs
        const before = await rowOf(id)
        if (does === 'take') {
          const isFree = holder === null || holder === who || (before.lease_until ?? 0) <= atMs
          const taken = await take(who, [id], atMs)
          expect(taken).toEqual(isFree ? [{ deviceId: id, token: token + 1 }] : [])
          if (isFree) {
            had[who] = taken
            holder = who
            token += 1
          }
        }
        if (does === 'renew') {
          const renewed = await renew(who, had[who] ?? [], atMs)
          expect(renewed).toEqual(holder === who ? had[who] : [])
        }
        if (does === 'release') {
          await release(who, had[who] ?? [])
          if (holder === who) holder = null
        }
        const after = await rowOf(id)
        expect([after.lease_owner, after.lease_token]).toEqual([holder, token])
        if (holder !== null && holder === before.lease_owner)
          expect(after.lease_until).toBeGreaterThanOrEqual(before.lease_until ?? 0)
      }
    }),
    { numRuns: 60 },
  )
})

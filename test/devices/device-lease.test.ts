import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type DeviceLease,
  leaseLengthMs,
  releaseLeases,
  renewLeases,
  takeLeases,
} from '../../src/devices/device-lease.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

let base: TestStorage
const nowMs = 1_000_000

beforeEach(async () => {
  base = await openTestStorage()
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
      ) // prettier-ignore
      .execute(),
  )

const take = (owner: string, deviceIds: string[], atMs = nowMs, isAlone = false): Promise<DeviceLease[]> =>
  base.storage.writer.write((tx) => takeLeases(tx, { owner, isAlone, deviceIds, nowMs: atMs }))
const renew = (owner: string, deviceIds: string[], atMs: number): Promise<DeviceLease[]> =>
  base.storage.writer.write((tx) => renewLeases(tx, { owner, deviceIds, nowMs: atMs }))
const release = (owner: string, deviceIds: string[]): Promise<void> =>
  base.storage.writer.write((tx) => releaseLeases(tx, { owner, deviceIds }))
const rowOf = (id: string) =>
  base.storage.read.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const untilOf = async (id: string): Promise<number | null> => (await rowOf(id)).lease_until

test('a lease is of one owner until it runs out', async () => {
  await put('dev_a', 'dev_b')
  expect(await take('one', ['dev_a', 'dev_b'])).toEqual([
    { deviceId: 'dev_a', token: 1 },
    { deviceId: 'dev_b', token: 1 },
  ])
  expect(await take('two', ['dev_a', 'dev_b'], nowMs + leaseLengthMs - 1)).toEqual([])
  expect(await take('two', ['dev_a'], nowMs + leaseLengthMs)).toEqual([{ deviceId: 'dev_a', token: 2 }])
  expect(await renew('one', ['dev_a', 'dev_b'], nowMs + leaseLengthMs)).toEqual([
    { deviceId: 'dev_b', token: 1 },
  ])
})

test('an owner is given its own again, with the same token', async () => {
  await put('dev_a')
  await take('one', ['dev_a'])
  expect(await take('one', ['dev_a'], nowMs + 10)).toEqual([{ deviceId: 'dev_a', token: 1 }])
})

test('who is proven to be alone takes over at once, under a new token', async () => {
  await put('dev_a')
  await take('one', ['dev_a'])
  expect(await take('two', ['dev_a'], nowMs, true)).toEqual([{ deviceId: 'dev_a', token: 2 }])
  expect(await renew('one', ['dev_a'], nowMs)).toEqual([])
})

test('a lease that is released is free at once, and nobody releases what is of another', async () => {
  await put('dev_a')
  await take('one', ['dev_a'])
  await release('two', ['dev_a'])
  expect(await take('two', ['dev_a'])).toEqual([])
  await release('one', ['dev_a'])
  expect(await take('two', ['dev_a'])).toEqual([{ deviceId: 'dev_a', token: 2 }])
})

test('no wall clock that is set back shortens a lease', async () => {
  await put('dev_a')
  await take('one', ['dev_a'])
  await renew('one', ['dev_a'], nowMs - 600_000)
  expect(await untilOf('dev_a')).toBe(nowMs + leaseLengthMs)
  await take('one', ['dev_a'], nowMs - 600_000)
  expect(await untilOf('dev_a')).toBe(nowMs + leaseLengthMs)
})

test('a device under lease has not changed', async () => {
  await put('dev_a')
  const before = await rowOf('dev_a')
  await take('one', ['dev_a'])
  await renew('one', ['dev_a'], nowMs + 1)
  await release('one', ['dev_a'])
  expect(await rowOf('dev_a')).toEqual({ ...before, lease_token: 1 })
  const instance = await base.storage.read.selectFrom('instance').selectAll().executeTakeFirstOrThrow()
  expect(instance.directory_version).toBe(7)
})

test('in whatever order owners take, renew and release, the token grows with each owner and never shrinks', async () => {
  const owner = fc.constantFrom('one', 'two', 'three')
  const step = fc.record({ owner, does: fc.constantFrom('take', 'renew', 'release'), waitMs: fc.integer({ min: -5_000, max: 60_000 }) }) // prettier-ignore
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const id = `dev_${run++}`
      await put(id)
      let atMs = nowMs
      let token = 0
      for (const { owner: who, does, waitMs } of steps) {
        atMs += waitMs
        const before = await rowOf(id)
        const isFree = before.lease_owner === null || (before.lease_until ?? 0) <= atMs
        const mayHave = isFree || before.lease_owner === who
        if (does === 'take') expect(await take(who, [id], atMs)).toHaveLength(mayHave ? 1 : 0)
        if (does === 'renew') await renew(who, [id], atMs)
        if (does === 'release') await release(who, [id])
        const after = await rowOf(id)
        const hasChanged = after.lease_owner !== null && after.lease_owner !== before.lease_owner
        expect(after.lease_token).toBe(token + (hasChanged ? 1 : 0))
        token = after.lease_token
        if (after.lease_owner !== null && after.lease_owner === before.lease_owner)
          expect(after.lease_until).toBeGreaterThanOrEqual(before.lease_until ?? 0)
      }
    }),
    { numRuns: 60 },
  )
})

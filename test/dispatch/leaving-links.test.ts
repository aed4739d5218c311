import { afterEach, beforeEach, expect, test } from 'vitest'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { openPoolHouse, type PoolHouse } from './pool-house.ts'

let house: PoolHouse
beforeEach(async () => {
  house = await openPoolHouse()
  await house.put('dev_a', 'stays')
  await house.reload()
  await house.isRunning('dev_a')
})
afterEach(() => {
  house.linkOf('dev_a').finishStop()
  return house.close()
})

const set = (
  values: { state: 'enabled' } | { lease_owner: string; lease_token: number; lease_until: number },
) =>
  house.storage.writer.write(async (tx) => {
    await tx.updateTable('devices').set(values).where('id', '=', 'dev_a').execute()
    if ('state' in values) await touchDirectory(tx)
  })

test.for(['changed', 'disabled and enabled'])(
  'a device that was %s is spoken for by its link until that has ended, and absent nowhere',
  async (how) => {
    const [former] = house.pool.all
    if (how !== 'changed') {
      await house.disable('dev_a')
      await house.reload()
      expect(house.pool.reported).toEqual([])
      await set({ state: 'enabled' })
    }
    await house.put('dev_a', 'at once', 2)
    await house.reload()
    expect(house.running()).toEqual([])
    expect(house.pool.absent).toEqual([])
    expect(house.pool.reported).toEqual([former])
    house.linkOf('dev_a').finishStop()
    await house.isRunning('dev_a')
    expect(house.pool.reported).toEqual(house.pool.all)
    expect(house.pool.reported).not.toContain(former)
  },
)

test('a link that still ends when another node has taken its lease speaks for its device no more', async () => {
  await house.put('dev_a', 'at once', 2)
  await house.reload()
  expect(house.pool.reported).toHaveLength(1)
  await set({ lease_owner: 'two', lease_token: 2, lease_until: house.clock.now() + 3_600_000 })
  await house.pass(16)
  expect(house.pool.reported).toEqual([])
})

import { expect, test } from 'vitest'
import { openVisitWorld } from './visit-world.ts'

test('a shorter interval applies to the visit that is already planned', async () => {
  const world = await openVisitWorld({}, { visit_idle_s: '3600' })
  await world.visit()
  const { address, connectedTo } = world
  const changed = { local_address: address, local_id: connectedTo, visit_idle_s: '7' }
  expect(world.phone.applySettings(changed)).toBe(true)
  expect(await world.visit()).toBe(7_000)
})

import { expect, test, vi } from 'vitest'
import { noRules } from '../no-rules.ts'
import type { Candidate } from '../../src/dispatch/routes/candidate.ts'
import { DeviceRuntime } from '../../src/dispatch/devices/device-runtime.ts'
import { EligibleDevicesCount } from '../../src/dispatch/devices/eligible-devices-count.ts'
import { createStubClock } from '../stub-clock.ts'
import { openDeskHouse } from './gateway-fixture.ts'

test('a crowd of phones fetches without each of them being looked at for each', async () => {
  const house = await openDeskHouse()
  const count = 80
  const phones = []
  for (let i = 0; i < count; i++) phones.push(await house.register(String(i)))
  await house.send({
    to: Array.from({ length: count }, (_, i) => `+4915112345${String(i).padStart(3, '0')}`),
  })
  const looks = vi.spyOn(DeviceRuntime.prototype, 'candidate')
  const offers = await Promise.all(phones.map((phone) => house.pull(phone)))
  // Of up to four rounds each takes a look at itself twice, and its part of the looks at all.
  expect(looks.mock.calls.length).toBeLessThan(count * 4 * 20)
  looks.mockRestore()
  expect(offers.flat()).toHaveLength(count)
})

/** So many devices of account `a` with room, and so many that all share. */
function crowd(own: number, shared: number) {
  const clock = createStubClock()
  const rooms = { own: Array.from({ length: own }, () => 1), shared: Array.from({ length: shared }, () => 1) }
  const as = (free: number) =>
    ({
      candidate: () => ({ fetches: true, health: 'online', free }) as Candidate,
    }) as unknown as DeviceRuntime
  const pool = {
    ownedBy: (accountId: string | null) => (accountId === null ? rooms.shared : rooms.own).map(as),
    routes: noRules,
  }
  const sharers = new EligibleDevicesCount({ clock, pool })
  const of = (only: { isOwnOnly?: true } = {}) =>
    sharers.of({
      ...only,
      accountId: 'a',
      mode: 'live',
      routeKey: 'live:',
      sender: null,
      encodingForced: false,
      avoids: null,
    })
  return { clock, rooms, of }
}

test('what waits is shared among all that have room; of few each change counts at once', () => {
  const { rooms, of } = crowd(3, 2)
  expect([of(), of({ isOwnOnly: true })]).toEqual([5, 3])
  rooms.own[0] = 0
  rooms.shared.pop()
  expect(of()).toBe(3)
  rooms.own.fill(0)
  rooms.shared.fill(0)
  expect(of()).toBe(1)
})

test('a crowd is counted anew after a second, or when it has been asked for some times', async () => {
  const { clock, rooms, of } = crowd(160, 0)
  expect(of()).toBe(160)
  rooms.own.fill(0, 0, 80)
  expect(of()).toBe(160)
  await clock.advance(1_001)
  expect(of()).toBe(80)
  rooms.own.fill(0)
  const told = Array.from({ length: 12 }, () => of())
  expect(told[0]).toBe(80)
  expect(told.at(-1)).toBe(1)
})

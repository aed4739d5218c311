import { expect, test } from 'vitest'
import { createStubbedPhone } from './phone-fixture.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

test('the clock of a phone is known by the youngest of what it says, within what a request may take', () => {
  const { phone, clock } = createStubbedPhone()
  phone.recordClock('state', clock.now() + 2 * hour)
  expect(phone.clockOffsetMs).toBe(2 * hour)
  phone.recordClock('hook', clock.now() - 1_500)
  expect(phone.clockOffsetMs).toBe(0)
  for (const late of [500, 30_000, 4_000]) phone.recordClock('hook', clock.now() + hour - late)
  expect(phone.clockOffsetMs).toBe(hour - 500)
})

test('a report that comes an hour late says nothing against the clock of its phone', async () => {
  const { phone, clock, openStream } = createStubbedPhone()
  openStream()
  phone.recordClock('state', clock.now() - hour)
  expect(phone.clockOffsetMs).toBe(0)
  expect(phone.health()).toMatchObject({ status: 'online', reasons: [] })
  // The first webhook is of now, and tells the clock; one from before the report is an old one.
  expect(phone.admitsHook(clock.now() - 2 * hour)).toBe(false)
  expect(phone.admitsHook(clock.now() - 5 * minute)).toBe(true)
  expect(phone.clockOffsetMs).toBe(-5 * minute)
})

test('a message that expires on a phone tells that its clock was set ahead, whatever webhooks said before, and never that it goes behind', async () => {
  const { phone, clock } = createStubbedPhone()
  expect(phone.admitsHook(clock.now())).toBe(true)
  phone.recordClock('expiry', clock.now() + 2 * hour)
  expect(phone.clockOffsetMs).toBe(2 * hour)
  // One that expired in its time, and is told late, is no news; nor is any other state.
  phone.recordClock('expiry', clock.now() - hour)
  phone.recordClock('state', clock.now() + 5 * hour)
  expect(phone.clockOffsetMs).toBe(2 * hour)
  expect(phone.admitsHook(clock.now() + 2 * hour)).toBe(true)
  await clock.advance(second)
  // The clock is set right: two webhooks say so, as ever.
  expect(phone.admitsHook(clock.now())).toBe(false)
  await clock.advance(second)
  expect(phone.admitsHook(clock.now())).toBe(true)
  expect(phone.clockOffsetMs).toBe(0)
})

test('a signed timestamp is believed near the clock of the phone, the first of all, and a clock that was set at the second time', async () => {
  const { phone, clock } = createStubbedPhone()
  const at = (offset: number): boolean => phone.admitsHook(clock.now() + offset)
  expect(at(-24 * hour)).toBe(true)
  expect(at(-24 * hour - 9 * minute)).toBe(true)
  expect(at(-24 * hour - 11 * minute)).toBe(false)
  // The clock was set right.
  const right = clock.now()
  expect(phone.admitsHook(right)).toBe(false)
  await clock.advance(5 * second)
  // The same request again is no news.
  expect(phone.admitsHook(right)).toBe(false)
  expect(phone.admitsHook(right + 5 * second)).toBe(true)
  expect(phone.clockOffsetMs).toBe(0)
  expect(at(-24 * hour)).toBe(false)
  // And set wrong again, backwards.
  await clock.advance(second)
  expect(at(-24 * hour)).toBe(true)
  expect(phone.clockOffsetMs).toBe(-24 * hour)
})

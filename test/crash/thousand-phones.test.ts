import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { numbersFrom, openPhoneHouse } from '../phones/phone-house.ts'

const count = 1_000

const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

test('a thousand phones cost a hundred megabytes at most, are woken within a second, and fetch a thousand messages within five', async () => {
  // As `npm start` does it.
  const house = await openPhoneHouse({
    ownProcess: true,
    flags: ['--max-semi-space-size=16', '--v8-pool-size=0'],
    count: 1,
  })
  const before = residentMegabytes(house.server.process.pid)
  const crowd = await house.morePhones({ count: count - 1, startOverMs: 6_000, timeScale: 10 })
  await eventually(
    () => crowd.all.streamLog('opened').length,
    (open) => expect(open).toBe(count - 1),
    60_000,
  )
  // Once what a thousand registrations left behind is collected.
  const more = (): number => residentMegabytes(house.server.process.pid) - before
  await eventually(more, (megabytes) => expect(megabytes).toBeLessThanOrEqual(100), 20_000)

  const sentAt = Date.now()
  await house.send(numbersFrom(0, count))
  const acceptedAt = Date.now()
  await eventually(house.given, (given) => expect(given).toBe(count), 5_000)
  const all = [
    ...crowd.all.streamLog('event').map((event) => ({ ...event, phone: event.phone + 1 })),
    ...house.phones.all.streamLog('event'),
  ]
  const firstWakes = new Map<number, number>()
  for (const { event, at, phone } of all.toSorted((a, b) => a.at - b.at))
    if (event === 'MessageEnqueued' && at >= sentAt && !firstWakes.has(phone)) firstWakes.set(phone, at)
  expect(firstWakes.size).toBe(count)
  expect(Math.max(...firstWakes.values()) - acceptedAt).toBeLessThanOrEqual(1_000)
  await house.expectSums()
}, 180_000)

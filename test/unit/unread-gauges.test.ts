import { expect, test } from 'vitest'
import { createMetrics } from '../../src/process/metrics.ts'
import { createStubClock } from '../stub-clock.ts'

/** A page of metrics whose numbers are read by `read`. */
function scrape(read: () => number | Promise<number>) {
  const clock = createStubClock()
  const said: unknown[] = []
  const metrics = createMetrics(clock, { warn: (words: unknown) => void said.push(words) })
  metrics.gauge('messages_queued', 'Waiting.', () => read())
  metrics.deviceGauge('device_unmatched_receipts', 'Parked.', async () => [['dev_a', await read()]])
  metrics.gauge('submissions_in_flight', 'Open.', () => 3)
  metrics.refused('unauthorized')
  return { clock, said, text: () => metrics.text() }
}

const whole = ['onesixty_submissions_in_flight 3', 'onesixty_requests_refused_total{code="unauthorized"} 1']
const ofDatabase = ['onesixty_messages_queued 7', 'onesixty_device_unmatched_receipts{device="dev_a"} 7']
const linesOf = (page: string): string[] =>
  page
    .split('\n')
    .filter(
      (line) => [...whole, ...ofDatabase].includes(line) || /^onesixty_(messages_queued|device_)/.test(line),
    )

test('a number that cannot be read is left out of the page, which has all others and has it again when it can be', async () => {
  let isAway = true
  const page = scrape(() => {
    if (isAway) throw new Error('PostgreSQL cannot be reached')
    return 7
  })
  expect(new Set(linesOf(await page.text()))).toEqual(new Set(whole))
  isAway = false
  expect(new Set(linesOf(await page.text()))).toEqual(new Set([...whole, ...ofDatabase]))
  expect(page.said).toHaveLength(2)
  isAway = true
  for (let scrapes = 0; scrapes < 3; scrapes++)
    expect(new Set(linesOf(await page.text()))).toEqual(new Set(whole))
  const gauges = ['messages_queued', 'device_unmatched_receipts']
  expect(page.said, 'once for each time').toMatchObject(
    [...gauges, ...gauges].map((gauge) => ({ gauge, err: { message: 'PostgreSQL cannot be reached' } })),
  )
})

test('a database that hangs is waited for 2 s, and no timer is left', async () => {
  const page = scrape(() => new Promise<number>(() => undefined))
  let text = ''
  const told = page.text().then((answer) => (text = answer))
  await page.clock.advance(1_999)
  expect(text).toBe('')
  await page.clock.advance(1)
  await told
  expect(new Set(linesOf(text))).toEqual(new Set(whole))
  expect(page.clock.waiting).toBe(0)
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiMessage } from '../api-client.ts'
import { eventually } from '../eventually.ts'
import { type CrashHouse, expectNothingLostNorDoubled, openCrashHouse } from './crash-house.ts'
import { createOneKey, type OneKey } from './one-key.ts'
import { sizeOf } from '../proof-sizes.ts'

const kills = sizeOf('KILLS')
const perSecond = 200
const window = 10
/** A little slower than the load, so that something waits and a kill finds the whole window open. */
const device = { window: String(window), submit_delay_ms: '40', delay_ms: '400' }

let house: CrashHouse
beforeAll(async () => {
  house = await openCrashHouse(device)
})
afterAll(() => house.close())

test('kills under load lose nothing, hand nothing over twice, and leave every SMS accounted for', async () => {
  const load = house.load({ perSecond })
  const keys: OneKey[] = []
  const downtimes: { fromMs: number; toMs: number }[] = []
  let unknownBefore = 0
  let slowestMs = 0
  for (let kill = 0; kill < kills; kill++) {
    load.resume()
    await underLoadFor(600 + 80 * (kill % 10), () => load.accepted.size)
    // A disk that stood still for longer than a receipt takes would leave nothing for a kill to come between.
    await eventually(
      () => house.countOf('sent'),
      (sent) => expect(sent).toBeGreaterThan(0),
    )
    const key = createOneKey(house, `race-${kill}`)
    keys.push(key)
    // While most of them are told to come back, and at the next kill once one of them is stored.
    const asked = key.ask()
    await asked.until(kill % 2 === 0 ? [202, 409] : [202])
    const fromMs = Date.now()
    expect(await house.server.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
    await Promise.all([load.pause(), asked.settled])
    const { tookMs } = await house.restart()
    slowestMs = Math.max(slowestMs, tookMs)
    downtimes.push({ fromMs, toMs: Date.now() })
    const unknown = await house.countOf('unconfirmed')
    expect(unknown - unknownBefore, 'at most a window of unknown outcomes for each kill').toBeLessThanOrEqual(
      window,
    )
    unknownBefore = unknown
    await Promise.all([load.repeatUnanswered(), key.ask().settled])
    expect(key.accepted.size, 'one key, before the kill and after it, is one send').toBe(1)
  }
  expect(load.unanswered.size).toBe(0)
  expect([load, ...keys].flatMap(({ refused }) => refused)).toEqual([])
  await house.drained(20_000 + 1_000 * kills)
  const messages = await expectNothingLostNorDoubled(house, [load, ...keys])

  const ends = Map.groupBy(messages, ({ status }) => status)
  expect([...ends.keys()].toSorted()).toEqual(['delivered', 'unconfirmed'])
  // Had no kill met a hand-over or a receipt, this would prove little.
  expect(ends.get('unconfirmed')?.length).toBe(unknownBefore)
  expect(unknownBefore).toBeGreaterThan((kills * window) / 2)
  const uncrossed = downtimes.filter(
    (downtime) => !messages.some((message) => isDeliveredAcross(message, downtime)),
  )
  expect(uncrossed, 'kills between no hand-over and its receipt').toEqual([])
  expect(messages.length).toBeGreaterThan(kills * 100)
  // What the long run promises.
  if (kills >= 300) expect(messages.length).toBeGreaterThanOrEqual(50_000)
  // Last, so that a slow machine hides nothing of the rest.
  expect(slowestMs, 'back within 5 s of a kill').toBeLessThan(5_000)
})

const isDeliveredAcross = (
  message: ApiMessage,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): boolean =>
  message.sent_at !== null &&
  message.delivered_at !== null &&
  Date.parse(message.sent_at) < fromMs &&
  Date.parse(message.delivered_at) >= fromMs &&
  Date.parse(message.delivered_at) <= toMs + 2_000

/** Lets the load run for a while and until it got through. */
async function underLoadFor(ms: number, accepted: () => number): Promise<void> {
  const before = accepted()
  const untilMs = performance.now() + ms
  await eventually(
    () => ({ isOver: performance.now() >= untilMs, gotThrough: accepted() - before > 50 }),
    (seen) => expect(seen).toEqual({ isOver: true, gotThrough: true }),
    20_000,
  )
}

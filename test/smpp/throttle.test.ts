import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Throttle } from '../../src/connectors/rate.ts'

interface Ran {
  taken: number
  refused: number
  longestSilenceMs: number
}

/** An SMSC that takes `perSecond` in each second and says "too much" to the rest; the link offers whatever its throttle allows. */
function run(
  throttle: Throttle,
  clock: { ms: number },
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Ran {
  const ran = { taken: 0, refused: 0, longestSilenceMs: 0 }
  let inSecond = 0
  let lastTakenMs = clock.ms
  const endMs = clock.ms + seconds * 1000
  for (; clock.ms < endMs; clock.ms += 10) {
    if (clock.ms % 1000 === 0) inSecond = 0
    for (let room = Math.min(throttle.room, 10); room > 0; room--) {
      throttle.spend(1)
      if (inSecond < perSecond) {
        inSecond += 1
        ran.taken += 1
        ran.longestSilenceMs = Math.max(ran.longestSilenceMs, clock.ms - lastTakenMs)
        lastTakenMs = clock.ms
        throttle.taken()
      } else {
        ran.refused += 1
        throttle.tooMuch()
      }
    }
  }
  return ran
}

const make = (contracted: number | null) => {
  const clock = { ms: 1_000 }
  return { clock, throttle: new Throttle({ monotonicMs: () => clock.ms }, contracted) }
}

test('without a bound and without a complaint there is always room', () => {
  const { throttle } = make(null)
  throttle.spend(1_000_000)
  expect(throttle.room).toBe(Number.POSITIVE_INFINITY)
  expect(throttle.isThrottled).toBe(false)
})

test('the contracted rate is kept over every ten seconds, fractions too', () => {
  const property = fc.property(fc.double({ min: 0.2, max: 200, noNaN: true }), (perSecond) => {
    const { throttle, clock } = make(perSecond)
    const { taken } = run(throttle, clock, { perSecond: Number.POSITIVE_INFINITY, seconds: 60 })
    expect(taken).toBeLessThanOrEqual(perSecond * 60 + Math.max(1, perSecond / 10) + 1)
    expect(taken).toBeGreaterThanOrEqual(Math.floor(perSecond * 60 * 0.95) - 1)
  })
  fc.assert(property, { numRuns: 40 })
})

test('one word of too much costs the link a second, whatever else of the same burst is refused', () => {
  const { throttle, clock } = make(null)
  for (let i = 0; i < 50; i++) throttle.taken()
  for (let i = 0; i < 20; i++) throttle.tooMuch()
  expect(throttle.room).toBe(0)
  expect(throttle.roomInMs).toBe(1_000)
  clock.ms += 1_001
  expect(throttle.room).toBeGreaterThan(0)
  expect(throttle.perSecond).toBeCloseTo(25, 1)
})

test('an SMSC that bears 50 a second gets four fifths of that, and hardly ever too much', () => {
  const { throttle, clock } = make(null)
  run(throttle, clock, { perSecond: 50, seconds: 10 })
  const { taken, refused, longestSilenceMs } = run(throttle, clock, { perSecond: 50, seconds: 120 })
  expect(taken).toBeGreaterThan(0.8 * 50 * 120)
  expect(refused).toBeLessThan(0.02 * taken)
  expect(longestSilenceMs).toBeLessThan(2_500)
})

test('a rate that the SMSC no longer minds is forgotten', () => {
  const { throttle, clock } = make(null)
  for (let i = 0; i < 500; i++) throttle.taken()
  throttle.tooMuch()
  expect(throttle.isThrottled).toBe(true)
  run(throttle, clock, { perSecond: Number.POSITIVE_INFINITY, seconds: 300 })
  expect(throttle.isThrottled).toBe(false)
  expect(throttle.room).toBe(Number.POSITIVE_INFINITY)
})

test('a long message may overdraw, and the next one waits for it', () => {
  const { throttle, clock } = make(2)
  throttle.spend(5)
  expect(throttle.room).toBe(0)
  expect(throttle.roomInMs).toBe(2_250)
  clock.ms += 2_250
  expect(throttle.room).toBe(1)
})

test('a new contract holds from the next part on, and what went out without one is not held against it', () => {
  const { throttle, clock } = make(null)
  for (let i = 0; i < 10_000; i++) throttle.spend(1)
  throttle.setContracted(20)
  expect(throttle.room).toBe(2)
  throttle.spend(2)
  expect(throttle.room).toBe(0)
  clock.ms += 1_000
  expect(throttle.room).toBe(2)
  throttle.setContracted(null)
  expect(throttle.room).toBe(Number.POSITIVE_INFINITY)
})

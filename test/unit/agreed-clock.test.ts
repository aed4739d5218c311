import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AgreedClock } from '../../src/runtime/agreed-clock.ts'
import { createStubClock } from '../stub-clock.ts'

const hourMs = 3_600_000

/** A machine whose clock is wrong by so much, and what its database says: the right time, asked 20 ms ago and answered 10 ms ago. */
async function openClocks(wrongByMs: number) {
  const own = createStubClock()
  const rightMs = (): number => own.now() - wrongByMs
  const clock = new AgreedClock(own)
  const ask = async (): Promise<void> => {
    const askedMs = own.monotonicMs()
    await own.advance(10)
    const databaseMs = rightMs()
    await own.advance(10)
    clock.hear({ databaseMs, askedMs, answeredMs: own.monotonicMs() })
  }
  return { own, clock, rightMs, ask }
}

test('where nobody says what time it is, it is what the clock of the machine says, whichever way that steps', async () => {
  const { own, clock } = await openClocks(0)
  for (const step of [0, hourMs, -2 * hourMs]) {
    own.jumpWallClock(step)
    expect(clock.now()).toBe(own.now())
  }
})

test('a clock that fits what the database says goes as it goes', async () => {
  const { own, clock, ask } = await openClocks(0)
  await ask()
  await own.advance(4_321)
  expect(clock.now()).toBe(own.now())
})

test.each([-hourMs, hourMs, -500, 500])(
  'a clock that is wrong by %i ms is put right by as much as the answer took, and stays right',
  async (wrongByMs) => {
    const { own, clock, rightMs, ask } = await openClocks(wrongByMs)
    await ask()
    await own.advance(5_000)
    expect(Math.abs(clock.now() - rightMs())).toBeLessThanOrEqual(10)
  },
)

test('an answer that took long leaves what a quick one has told as it was', async () => {
  const { own, clock, rightMs, ask } = await openClocks(24 * hourMs)
  await ask()
  const askedMs = own.monotonicMs()
  const databaseMs = rightMs()
  await own.advance(20_000)
  clock.hear({ databaseMs, askedMs, answeredMs: own.monotonicMs() })
  expect(Math.abs(clock.now() - rightMs())).toBeLessThanOrEqual(10)
})

test('a step of the wall clock moves nothing, before the next answer either', async () => {
  const { own, clock, ask } = await openClocks(0)
  await ask()
  const before = clock.now()
  own.jumpWallClock(-hourMs)
  await own.advance(1_000)
  expect(clock.now() - before).toBeGreaterThanOrEqual(980)
  own.jumpWallClock(3 * hourMs)
  expect(clock.now() - before).toBeLessThanOrEqual(1_020)
})

test('a server with another clock that takes over is followed, also into the past', async () => {
  const { own, clock, ask } = await openClocks(0)
  await ask()
  const before = clock.now()
  const askedMs = own.monotonicMs()
  clock.hear({ databaseMs: before - hourMs, askedMs, answeredMs: askedMs })
  expect(clock.now()).toBe(before - hourMs)
})

test('answers of any length never let it step back', async () => {
  const answer = fc.record({ takesMs: fc.nat(900), atMs: fc.nat(900), pauseMs: fc.nat(6_000) })
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: -hourMs, max: hourMs }),
      fc.array(answer),
      async (wrongByMs, answers) => {
        const { own, clock, rightMs } = await openClocks(wrongByMs)
        let last = Number.NEGATIVE_INFINITY
        for (const { takesMs, atMs, pauseMs } of answers) {
          const askedMs = own.monotonicMs()
          await own.advance(Math.min(atMs, takesMs))
          const databaseMs = rightMs()
          await own.advance(takesMs - Math.min(atMs, takesMs))
          clock.hear({ databaseMs, askedMs, answeredMs: own.monotonicMs() })
          expect(clock.now()).toBeGreaterThanOrEqual(last)
          last = clock.now()
          expect(Math.abs(last - rightMs())).toBeLessThanOrEqual(900)
          await own.advance(pauseMs)
        }
      },
    ),
    { numRuns: 50 },
  )
})

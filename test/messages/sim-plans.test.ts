import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { accepted } from './outcomes.ts'
import { type Limits, openPlanned } from './plan-model.ts'

let base: TestStorage
beforeAll(async () => void (base = await openTestStorage()))
afterAll(() => base.close())
const open = (limits: readonly Limits[]) =>
  openPlanned(
    { db: base.storage.read, writers: [base.storage.writer], clock: base.clock, ids: base.ids },
    limits,
  )

const none: Limits = { partsPerDay: null, partsPerMonth: null, numbersPerMonth: null }
const refused = (lasts: 'good' | 'now'): Outcome => ({
  kind: 'refused',
  lasts,
  code: 'device_error',
  networkCode: null,
})
const outcomes: readonly Outcome[] = [
  refused('good'),
  refused('now'),
  { kind: 'unavailable', detail: '' },
  { kind: 'unknown', networkIds: [], partsTaken: 0, detail: '' },
  { kind: 'unknown', networkIds: [], partsTaken: 1, detail: '' },
]
const limit = fc.option(fc.integer({ min: 1, max: 8 }), { freq: 2 })
const limits = fc.array(fc.record({ partsPerDay: limit, partsPerMonth: limit, numbersPerMonth: limit }), {
  minLength: 1,
  maxLength: 2,
})
const choices = [[null], [1], [1, 2], [2, 1]] as const
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('send' as const), to: fc.nat(6), parts: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('claim' as const), quota: fc.integer({ min: 1, max: 20 }), over: fc.nat(3), isKilled: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), which: fc.nat(30), how: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(0.01, 5, 24, 24 * 20) }) },
) // prettier-ignore

test(
  'plans count what was claimed and not certainly refused, whatever happens in any order, and no claim passes one',
  { timeout: endAfter(60_000) },
  async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 40 }), async (plans, steps) => {
        const house = await open(plans)
        for (const each of steps) {
          if (each.do === 'send') await house.send(`+4915112345${600 + each.to}`, each.parts)
          else if (each.do === 'wait') await base.clock.advance(each.hours * 3_600_000)
          else if (each.do === 'claim') {
            const over = choices[each.over] as readonly (number | null)[]
            const claimed = await house.claim(each.quota, over, each)
            if (!each.isKilled) await house.nothingFits(over, each.quota - claimed.length)
          } else {
            const unsettled = house.counted.filter(({ state }) => state !== 'accepted')
            const one = unsettled[each.which % Math.max(1, unsettled.length)]
            const partial = {
              kind: 'partial',
              networkIds: [],
              partsTaken: 1,
              receiptExpected: false,
              code: 'device_error',
              networkCode: null,
            } as const
            const all: Outcome[] = [
              ...outcomes,
              ...(one !== undefined && one.claimed.parts > 1 ? [partial] : []),
              accepted(),
            ]
            if (one !== undefined) await house.end(one, all[each.how % all.length] as Outcome)
          }
          await house.compare()
        }
      }),
      { numRuns: sizeOf('PLAN_SEQUENCES') },
    )
  },
)

test('a SIM at its limit of numbers sends to those of this month, the others go over the other SIM, and each new month begins anew', async () => {
  const house = await open([{ ...none, numbersPerMonth: 2 }, none])
  const simsOf = async () => (await house.claim(100, [1, 2])).map(({ to, sim }) => [to.at(-1), sim])
  for (const n of [1, 2, 3, 1, 2]) await house.send(`+491511234560${n}`, 1)
  // SIM 2 has no plan: of two with the same room the first one is used, until it may not be.
  const first = await house.claim(2, [1])
  expect(first.map(({ to }) => to.at(-1))).toEqual(['1', '2'])
  expect(await simsOf()).toEqual([['3', 2], ['1', 1], ['2', 1]])
  for (const n of [4, 2]) await house.send(`+491511234560${n}`, 1)
  expect((await house.claim(1, [1])).map(({ to }) => to.at(-1))).toEqual(['2'])
  expect(await simsOf()).toEqual([['4', 2]])
  await base.clock.advance(31 * 86_400_000)
  await house.send('+4915112345605', 1)
  expect((await house.claim(1, [1])).map(({ to }) => to.at(-1))).toEqual(['5'])
  await house.compare()
}) // prettier-ignore

test('an attempt that was sent after all keeps its number counted, though a later one to it was refused', async () => {
  const house = await open([{ ...none, numbersPerMonth: 5 }])
  const attempt = async () => {
    await house.send('+4915112345600', 1)
    await house.claim(1, [1])
    return house.counted.at(-1)!
  }
  // Three days of one month, from its second on.
  const date = new Date(base.clock.now())
  await base.clock.advance(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 2, 12) - base.clock.now())
  const first = await attempt()
  await house.end(first, refused('good'))
  await base.clock.advance(86_400_000)
  const second = await attempt()
  await house.end(first, accepted())
  await house.compare()
  await house.end(second, refused('good'))
  expect(house.used(1).numbersThisMonth).toBe(1)
  await house.compare()
  // What becomes known of the month before does not count the number of this one.
  const third = await attempt()
  await house.end(third, refused('good'))
  await base.clock.advance(31 * 86_400_000)
  const fourth = await attempt()
  await house.end(fourth, refused('good'))
  await house.end(third, accepted())
  await house.end(fourth, accepted())
  expect(house.used(1).numbersThisMonth).toBe(1)
  await house.compare()
})

test('a known number is found behind more new ones than a claim reads', async () => {
  const house = await open([{ ...none, numbersPerMonth: 1 }])
  await house.send('+4915112345600', 1)
  await house.claim(5, [1])
  for (let n = 1; n <= 30; n++) await house.send(`+49151123457${10 + n}`, 1)
  await house.send('+4915112345600', 1)
  expect((await house.claim(3, [1])).map(({ to }) => to)).toEqual(['+4915112345600'])
  expect(await house.claim(3, [1])).toEqual([])
})

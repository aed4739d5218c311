import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SimChoice } from '../../src/connectors/sim-choice.ts'
import { readSettings, simChoiceOf } from '../../src/connectors/android/settings.ts'
import { SimPaces } from '../../src/dispatch/rates/sim-paces.ts'
import { throughputOf } from '../../src/dispatch/rates/throughput.ts'

const limit = { partsPerWindow: 30, windowSeconds: 1_800 }
const rotating = {
  simOf: new Map([
    ['+491', 1],
    ['+492', 2],
  ]),
  turns: [1, 2],
}

test('a device without SIMs, and a phone that chooses by itself, have one pace', () => {
  for (const choice of [
    null,
    { simOf: new Map(), turns: [] },
    { simOf: new Map([['+491', 1]]), turns: [] },
  ]) {
    const paces = new SimPaces(limit, () => choice)
    paces.spend(null, 12, 0)
    expect(paces.roomsFor(null, 0)).toEqual([{ sim: null, parts: 18, resetsInMs: 1_800_000 }])
    expect(paces.all(0).map(({ parts }) => parts)).toEqual([18])
  }
})

test('a device with one pace shows no SIMs; one with several shows each, and what is left over all', () => {
  const clock = { now: () => 1_000_000, monotonicMs: () => 0 }
  const one = new SimPaces(limit, () => null)
  one.spend(null, 12, 0)
  expect(throughputOf(one, limit, clock)).toEqual({ ...limit, remaining: 18, resetsAt: 2_800_000 })
  const two = new SimPaces(limit, () => rotating)
  two.spend(1, 12, 0)
  expect(throughputOf(two, limit, clock)).toMatchObject({
    partsPerWindow: 60,
    remaining: 48,
    bySim: [
      { slot: 1, remaining: 18 },
      { slot: 2, remaining: 30, resetsAt: null },
    ],
  })
})

test('what the phone has sent over a SIM of its choice counts for each of them', () => {
  const paces = new SimPaces(limit, () => ({ ...rotating, turns: [] }))
  expect(paces.roomsFor('+492', 0)).toMatchObject([{ sim: 2, parts: 30 }])
  paces.spend(null, 10, 0)
  paces.spend(1, 15, 0)
  expect(paces.roomsFor('+491', 0)).toMatchObject([{ sim: 1, parts: 5 }])
  expect(paces.roomsFor('+492', 0)).toMatchObject([{ sim: 2, parts: 20 }])
  expect(paces.roomsFor(null, 0)).toMatchObject([{ sim: null, parts: 5 }])
})

test('a SIM whose window ends has its room back, whatever the others have left', () => {
  const paces = new SimPaces(limit, () => rotating)
  paces.spend(1, 30, 0)
  paces.spend(2, 30, 600_000)
  expect(paces.all(700_000)).toEqual([
    { sim: 1, parts: 0, resetsInMs: 1_100_000 },
    { sim: 2, parts: 0, resetsInMs: 1_700_000 },
  ])
  expect(paces.all(1_800_000)).toMatchObject([
    { sim: 1, parts: 30 },
    { sim: 2, parts: 0 },
  ])
})

test('after a start each SIM has used what was sent over it, and what the phone sent over one of its choice', () => {
  const paces = new SimPaces(limit, () => rotating)
  const past = [[1, 20, 0], [2, 5, 100], [null, 3, 50], [7, 2, 60]] as const
  paces.resume(past.map(([sim, used, startedMs]) => ({ sim, used, startedMs })))
  expect(paces.all(1_000)).toEqual([
    { sim: 1, parts: 5, resetsInMs: 1_799_000 },
    { sim: 2, parts: 20, resetsInMs: 1_799_050 },
  ])
}) // prettier-ignore

test('without a pace a SIM has as much more room than another as that has sent, from the first part on', () => {
  const paces = new SimPaces(null, () => rotating)
  paces.spend(1, 1, 0)
  const [least, most] = paces.roomsFor(null, 0)
  expect([least!.sim, most!.sim, least!.parts - most!.parts]).toEqual([2, 1, 1])
})

test('a phone that begins to take turns keeps what it has used', () => {
  let choice: SimChoice = { simOf: new Map(), turns: [] }
  const paces = new SimPaces(limit, () => choice)
  paces.spend(null, 25, 0)
  choice = rotating
  expect(paces.roomsFor(null, 0).map(({ parts }) => parts)).toEqual([5, 5])
})

test.each(['__proto__', 'constructor', 'toString'])(
  'the sender %s, a word of every object, asks for no SIM',
  (sender) => {
    const settings = readSettings({ sim_1_number: '+4915112345678' })
    for (const pace of [null, limit]) {
      const paces = new SimPaces(pace, () => simChoiceOf(settings, []))
      expect(paces.roomsFor(sender, 0)).toMatchObject([{ sim: null }])
      expect(paces.partsFor(sender, 0)).toBe(paces.partsFor(null, 0))
    }
    expect(simChoiceOf(settings, []).simOf.get('+4915112345678')).toBe(1)
  },
)

test('a SIM is asked for by the number that the phone tells of it, unless another was set; what is no whole number asks for none', () => {
  const told = [{ slot: 1, number: '+4915100000001' }, { slot: 2, number: '+4915100000002' }, { slot: 3, number: '0151' }] // prettier-ignore
  const chosen = (settings: Record<string, string>) => [...simChoiceOf(readSettings(settings), told).simOf]
  expect(chosen({})).toEqual([
    ['+4915100000001', 1],
    ['+4915100000002', 2],
  ])
  expect(new Map(chosen({ sim_1_number: '+4915100000002' })).get('+4915100000002')).toBe(1)
})

test('in one window no SIM sends more than its pace, however turns change, if nothing is spent without room', () => {
  const step = fc.record({
    isRotating: fc.boolean(),
    sender: fc.constantFrom(null, '+491', '+492'),
    parts: fc.integer({ min: 1, max: 10 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let turns: number[] = []
      const paces = new SimPaces(limit, () => ({ ...rotating, turns }))
      const sent = { 1: 0, 2: 0 }
      for (const { isRotating, sender, parts } of steps) {
        turns = isRotating ? [1, 2] : []
        const room = paces.roomsFor(sender, 0).find((each) => each.parts >= parts)
        const sum = paces.roomsFor(sender, 0).reduce((all, each) => all + each.parts, 0)
        expect(paces.partsFor(sender, 0)).toBe(sum)
        if (room === undefined) continue
        paces.spend(room.sim, parts, 0)
        for (const sim of [1, 2] as const) if (room.sim === sim || room.sim === null) sent[sim] += parts
      }
      expect(Math.max(sent[1], sent[2])).toBeLessThanOrEqual(30)
    }),
  )
})

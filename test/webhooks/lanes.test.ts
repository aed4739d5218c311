import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Lanes } from '../../src/webhooks/lanes.ts'

const most = { inLane: 16, connections: 100 }
const namesOf = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

/** Begins what each may have. */
const fill = (lanes: Lanes, endpoints: readonly string[]): void => {
  const shares = lanes.share(endpoints)
  endpoints.forEach((id, i) => {
    for (let n = 0; n < (shares[i] as number); n++) lanes.begin(id)
  })
}

test('an endpoint begins with one delivery, is given more as it answers, and one again when it does not', () => {
  const lanes = new Lanes(most)
  expect(lanes.share(['a'])).toEqual([1])
  const given = [1, 2, 4, 8, 16, 16].map((expected) => {
    expect(lanes.share(['a'])).toEqual([expected])
    lanes.begin('a')
    lanes.end('a', true)
    return expected
  })
  expect(given).toHaveLength(6)
  lanes.begin('a')
  lanes.end('a', null)
  expect(lanes.share(['a'])).toEqual([16])
  lanes.begin('a')
  lanes.end('a', false)
  expect(lanes.share(['a'])).toEqual([1])
  lanes.begin('a')
  lanes.end('a', null)
  expect(lanes.share(['a'])).toEqual([1])
})

test('endpoints that hang hold one connection each, and the next one is told at once', () => {
  const lanes = new Lanes(most)
  const hanging = namesOf('hanging', 30)
  fill(lanes, hanging)
  expect(lanes.open).toBe(30)
  expect(lanes.share(hanging)).toEqual(hanging.map(() => 0))
  expect(lanes.share(['quick'])).toEqual([1])
})

/** Ends one delivery of each without an answer. */
const hang = (lanes: Lanes, endpoints: readonly string[]): void => {
  for (const id of endpoints) lanes.end(id, false)
}

test('when more endpoints hang than half of the connections, a newer one is told at once', () => {
  const lanes = new Lanes(most)
  const hanging = namesOf('hanging', 80)
  fill(lanes, hanging)
  expect(lanes.share(['newer'])).toEqual([1])
  hang(lanes, hanging)
  fill(lanes, hanging)
  expect(lanes.open).toBe(50)
  expect(lanes.share([...hanging, 'newer'])).toEqual([...hanging.map(() => 0), 1])
})

test('endpoints that hang take turns, behind those that answer, however many they are', () => {
  const lanes = new Lanes(most)
  const hanging = namesOf('hanging', 300)
  const tried = new Map(hanging.map((id) => [id, 0]))
  for (let round = 0; round < 12; round++) {
    const shares = lanes.share([...hanging, 'newer'])
    const begun = hanging.filter((_, i) => shares[i] === 1)
    for (const id of begun) {
      lanes.begin(id)
      tried.set(id, (tried.get(id) ?? 0) + 1)
    }
    if (round >= 3) expect(shares.at(-1)).toBe(1)
    hang(lanes, begun)
  }
  expect(Math.min(...tried.values())).toBeGreaterThanOrEqual(2)
  expect(Math.max(...tried.values()) - Math.min(...tried.values())).toBeLessThanOrEqual(1)
})

test('one that answers again is no longer behind others', () => {
  const lanes = new Lanes(most)
  const hanging = namesOf('hanging', 51)
  fill(lanes, hanging)
  hang(lanes, hanging)
  expect(lanes.share(hanging).at(-1)).toBe(0)
  lanes.begin('hanging50')
  lanes.end('hanging50', true)
  expect(lanes.share(hanging).at(-1)).toBeGreaterThanOrEqual(1)
})

test('however much the busy ones take, half of the connections is kept for the first delivery to others', () => {
  const lanes = new Lanes(most)
  const busy = namesOf('busy', 20)
  for (let i = 0; i < 5; i++)
    for (const id of busy) {
      lanes.begin(id)
      lanes.end(id, true)
    }
  for (let i = 0; i < 10; i++) fill(lanes, busy)
  expect(lanes.open).toBe(70)
  expect(lanes.share(['another'])).toEqual([1])
})

test('whatever happens there are never more connections than there may be, nor more in a lane', () => {
  const step = fc.record({
    from: fc.nat(60),
    count: fc.nat(60),
    ends: fc.array(fc.tuple(fc.nat(), fc.boolean())),
  })
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 2, max: 40 }), (steps, connections) => {
      const lanes = new Lanes({ inLane: 8, connections })
      const open: string[] = []
      for (const { from, count, ends } of steps) {
        const endpoints = namesOf('e', 60).slice(from, from + count)
        lanes.share(endpoints).forEach((share, i) => {
          for (let n = 0; n < share; n++) {
            lanes.begin(endpoints[i] as string)
            open.push(endpoints[i] as string)
          }
        })
        expect(lanes.open).toBe(open.length)
        expect(open.length).toBeLessThanOrEqual(connections)
        for (const id of new Set(open))
          expect(open.filter((each) => each === id).length).toBeLessThanOrEqual(8)
        for (const [index, isQuick] of ends)
          if (open.length > 0) lanes.end(open.splice(index % open.length, 1)[0] as string, isQuick)
      }
    }),
    { numRuns: 300 },
  )
})

import { expect, test } from 'vitest'
import { KnownIds } from '../../src/connectors/smpp/known-ids.ts'
import { createStubClock } from '../stub-clock.ts'

const digits = '4915112345678'

function open() {
  const clock = createStubClock()
  const known = new KnownIds(clock)
  const ends: (boolean | null)[] = []
  /** Where in `ends` it will stand whether the id is known; null until then. */
  const ask = (id: string, number = digits): number => {
    const place = ends.push(null) - 1
    void known.willKnow([id], number).then((isKnown) => (ends[place] = isKnown))
    return place
  }
  return { clock, known, ends, ask }
}

test('an id is waited for while something to its number is on its way', async () => {
  const { clock, known, ends, ask } = open()
  const answered = known.submitted(digits)
  ask('n1')
  await clock.advance(1_000)
  expect(ends).toEqual([null])
  known.add('n1')
  answered()
  await clock.advance(0)
  expect(ends).toEqual([true])
})

test('it is waited for two seconds behind an answer, and eight at most', async () => {
  const { clock, known, ends, ask } = open()
  known.submitted(digits)()
  ask('n1')
  await clock.advance(1_999)
  expect(ends).toEqual([null])
  await clock.advance(1)
  expect(ends).toEqual([false])
  known.submitted(digits)
  ask('n2')
  await clock.advance(7_999)
  expect(ends).toEqual([false, null])
  await clock.advance(1)
  expect(ends).toEqual([false, false])
})

test('nothing is waited for where nothing is on its way to the number, or the id is known', async () => {
  const { clock, known, ends, ask } = open()
  known.submitted('4915187654321')
  ask('n1')
  known.add('n2')
  ask('n2')
  await clock.advance(0)
  expect(ends).toEqual([false, true])
})

test('numbers to which nothing goes any more are forgotten', async () => {
  const { clock, known, ends, ask } = open()
  known.submitted(digits)()
  await clock.advance(2_000)
  ask('n1')
  await clock.advance(0)
  expect(ends).toEqual([false])
})

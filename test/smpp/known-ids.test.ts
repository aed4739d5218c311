import { expect, test } from 'vitest'
import { KnownIds, maxHeld } from '../../src/connectors/smpp/receive/known-ids.ts'
import { createStubClock } from '../stub-clock.ts'

const number = '4915112345678'

function open() {
  const clock = createStubClock()
  const known = new KnownIds(clock)
  const ends: string[] = []
  /** Where in `ends` it will stand how the wait for the id ended. */
  const ask = (id: string, numbers = [number]): void => {
    const place = ends.push('waits') - 1
    void known.waitFor([id], numbers).then(
      () => (ends[place] = known.has(id) ? 'known' : 'none'),
      () => (ends[place] = 'again'),
    )
  }
  return { clock, known, ends, ask }
}

test('an id is waited for while something to its number is on its way', async () => {
  const { clock, known, ends, ask } = open()
  const answered = known.submitted(number)
  ask('n1')
  await clock.advance(1_000)
  expect(ends).toEqual(['waits'])
  known.add('n1')
  answered()
  await clock.advance(0)
  expect(ends).toEqual(['known'])
})

test('it is waited for two seconds behind an answer', async () => {
  const { clock, known, ends, ask } = open()
  known.submitted(number)()
  ask('n1')
  await clock.advance(1_999)
  expect(ends).toEqual(['waits'])
  await clock.advance(1)
  expect(ends).toEqual(['none'])
  ask('n2')
  await clock.advance(0)
  expect(ends).toEqual(['none', 'none'])
})

test('what is still open after six seconds is to be brought again', async () => {
  const { clock, known, ends, ask } = open()
  known.submitted(number)
  ask('n1')
  await clock.advance(5_999)
  expect(ends).toEqual(['waits'])
  await clock.advance(1)
  expect(ends).toEqual(['again'])
})

test('no more wait at once than leave room for the answers that they wait for', async () => {
  const { clock, known, ends, ask } = open()
  const answered = known.submitted(number)
  for (let i = 0; i <= maxHeld; i++) ask(`n${i}`)
  await clock.advance(0)
  expect(ends).toEqual([...Array.from({ length: maxHeld }, () => 'waits'), 'again'])
  answered()
  await clock.advance(2_000)
  ask('m1')
  known.submitted(number)
  ask('m2')
  await clock.advance(0)
  expect(ends.slice(-2)).toEqual(['none', 'waits'])
})

test('without an id only the answers are waited for, and until they are stored', async () => {
  const { clock, known } = open()
  const ends: string[] = []
  const ask = (): void => void known.waitFor([], [number]).then(() => ends.push('told'))
  const answered = known.submitted(number)
  ask()
  await clock.advance(1_000)
  answered()
  await clock.advance(249)
  expect(ends).toEqual([])
  await clock.advance(1)
  expect(ends).toEqual(['told'])
  known.submitted(number)
  ask()
  await clock.advance(6_000)
  expect(ends).toEqual(['told', 'told'])
})

test('nothing is waited for where nothing is on its way to the number, or the id is known', async () => {
  const { clock, known, ends, ask } = open()
  known.submitted('4915187654321')
  ask('n1')
  known.add('n2')
  ask('n2', ['4915187654321'])
  await clock.advance(0)
  expect(ends).toEqual(['none', 'known'])
})

test.for([
  ['+49 151 12345678', '015112345678'],
  ['4915112345678', '0049-151-12345678'],
] as const)('a number is told by its end, however networks write it: %s and %s', async ([sent, told]) => {
  const { clock, known, ends, ask } = open()
  known.submitted(sent)
  ask('n1', ['4930123456', told])
  await clock.advance(0)
  expect(ends).toEqual(['waits'])
})

import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import type { Signals } from '../../src/storage/seam/signals.ts'
import { openServed } from './served-storage.ts'

/** Between two questions, for an answer, and room for a slow machine. */
const noticedWithinMs = 12_000

async function listen() {
  const served = await openServed({ listens: true })
  const signals = served.storage.signals as Signals
  const heard: string[] = []
  await signals.listen({
    heard: (word) => void heard.push(word),
    missed: () => void heard.push('(missed)'),
    lost: () => void heard.push('(lost)'),
  })
  return { ...served, signals, heard }
}

test('a listening connection on which nothing comes back is noticed though nobody tells anything, and made anew', async () => {
  const { proxy, signals, heard } = await listen()
  expect(await signals.send('one')).toBe(true)
  await eventually(
    () => heard,
    (words) => expect(words).toEqual(['(missed)', 'one']),
  )
  proxy.halfOpen({ forMs: 60_000 })
  await eventually(
    () => signals.isListening,
    (is) => expect(is).toBe(false),
    noticedWithinMs,
  )
  expect(await signals.send('into nothing')).toBe(false)
  proxy.heal()
  await eventually(
    () => signals.isListening,
    (is) => expect(is).toBe(true),
  )
  expect(await signals.send('two')).toBe(true)
  await eventually(
    () => heard,
    (words) => expect(words).toEqual(['(missed)', 'one', '(lost)', '(missed)', 'two']),
  )
  await signals.close()
})

test('a word that could not be told is said to be so, and the connection that did not bring it is given up', async () => {
  const { proxy, signals } = await listen()
  proxy.halfOpen({ forMs: 60_000 })
  expect(await signals.send('into nothing')).toBe(false)
  expect(signals.isListening).toBe(false)
  proxy.heal()
  await eventually(
    () => signals.isListening,
    (is) => expect(is).toBe(true),
  )
  await signals.close()
})

test('a start that finds nobody to listen to says so, and listens when there is somebody', async () => {
  const { storage, proxy } = await openServed({ listens: true })
  const signals = storage.signals as Signals
  const heard: string[] = []
  proxy.halfOpen({ forMs: 60_000, newOnes: 'refuse' })
  await signals.listen({
    heard: () => undefined,
    missed: () => void heard.push('(missed)'),
    lost: () => void heard.push('(lost)'),
  })
  expect(heard).toEqual(['(lost)'])
  proxy.heal()
  await eventually(
    () => heard,
    (words) => expect(words).toEqual(['(lost)', '(missed)']),
  )
  await signals.close()
})

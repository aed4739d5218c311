import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { recheckStream } from '../../src/api/console/live/recheck-stream.ts'
import { refuse } from '../../src/runtime/errors.ts'
import { createStubClock } from '../stub-clock.ts'

function openStream() {
  const clock = createStubClock()
  const events = new EventEmitter()
  const seen = { looks: 0, ended: 0, failures: 0 }
  let next: () => Promise<unknown> = async () => true
  recheckStream(
    { clock, failed: () => void (seen.failures += 1) },
    { end: () => void (seen.ended += 1), once: (event, listener) => events.once(event, listener) },
    () => {
      seen.looks += 1
      return next()
    },
  )
  return { clock, seen, close: () => events.emit('close'), answer: (then: typeof next) => void (next = then) }
}

test('a stream goes on while its reader may, and ends within half a minute when no longer', async () => {
  const { clock, seen, answer } = openStream()
  await clock.advance(300_000)
  expect(seen).toEqual({ looks: 10, ended: 0, failures: 0 })
  answer(() => Promise.reject(refuse('not_signed_in')))
  await clock.advance(30_000)
  await clock.advance(300_000)
  expect(seen).toEqual({ looks: 11, ended: 1, failures: 0 })
})

test('an error that refuses nothing ends nothing', async () => {
  const { clock, seen, answer } = openStream()
  answer(() => Promise.reject(new Error('the database is busy')))
  await clock.advance(60_000)
  expect(seen).toEqual({ looks: 2, ended: 0, failures: 2 })
})

test('a stream that was closed is looked at no more', async () => {
  const { clock, seen, close } = openStream()
  close()
  await clock.advance(60_000)
  expect([seen.looks, clock.waiting]).toEqual([0, 0])
})

import { expect, test } from 'vitest'
import { DeviceTrials } from '../../src/api/console/core/device-trials.ts'
import { createStubClock } from '../stub-clock.ts'

const start = () => {
  const clock = createStubClock()
  return { clock, trials: new DeviceTrials({ clock }, 10_000) }
}

test('a device is tried once at a time, another one meanwhile too', async () => {
  const { trials } = start()
  const slow = Promise.withResolvers<string>()
  const first = trials.run('dev_1', () => slow.promise)
  await expect(trials.run('dev_1', async () => 'again')).rejects.toMatchObject({ code: 'rate_limited' })
  expect(await trials.run('dev_2', async () => 'ok')).toBe('ok')
  slow.resolve('ok')
  expect(await first).toBe('ok')
})

test('behind a trial there is a pause, behind one that failed too, and none where there was nothing to try', async () => {
  const { trials, clock } = start()
  expect(await trials.run('dev_1', async () => null)).toBeNull()
  await expect(trials.run('dev_1', () => Promise.reject(new Error('no file')))).rejects.toThrow('no file')
  await clock.advance(9_000)
  await expect(trials.run('dev_1', async () => 'ok')).rejects.toThrow('Try again in 1 s')
  await clock.advance(1_000)
  expect(await trials.run('dev_1', async () => 'ok')).toBe('ok')
})

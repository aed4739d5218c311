import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { startServerProcess } from '../harness.ts'
import { type CrashHouse, expectNothingLostNorDoubled, openCrashHouse } from './crash-house.ts'
import { sizeOf } from '../proof-sizes.ts'
import { openSmppHouse } from '../smpp/smpp-house.ts'

const stops = sizeOf('STOPS')
const device = { window: '50', submit_delay_ms: '100', delay_ms: '300' }

let house: CrashHouse
beforeAll(async () => {
  house = await openCrashHouse(device)
})
afterAll(() => house.close())

test('a stop under load ends within 30 s, leaves no outcome unknown and loses nothing', async () => {
  const load = house.load({ perSecond: 200 })
  for (let stop = 0; stop < stops; stop++) {
    const before = load.accepted.size
    load.resume()
    await eventually(
      () => load.accepted.size - before,
      (accepted) => expect(accepted).toBeGreaterThan(100),
    )
    const startedMs = performance.now()
    expect(await house.server.kill('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(performance.now() - startedMs).toBeLessThan(30_000)
    await load.pause()
    await house.restart()
    expect(await house.countOf('unconfirmed')).toBe(0)
    await load.repeatUnanswered()
  }
  expect(load.refused.filter((answer) => !answer.startsWith('503'))).toEqual([])
  await house.drained()
  const messages = await expectNothingLostNorDoubled(house, [load])
  expect(new Set(messages.map(({ status }) => status))).toEqual(new Set(['delivered']))
  // Had the device been idle, there would have been nothing to finish.
  expect(house.peer.records().length).toBeGreaterThan(stops * 100)
})

test('a stop while the second part of a long message is refused over and over ends soon, and leaves nothing unknown', async () => {
  const over = await openSmppHouse({ ownProcess: true })
  await over.smsc.set({ submit: { rules: [{ status: 0, times: 1 }, { status: 0x14 }] } })
  await over.send('Your parcel costs 3 € [today]. '.repeat(8), ['+4915112345678'])
  await eventually(
    () => over.smsc.submits().length,
    (submits) => expect(submits).toBeGreaterThan(2),
    10_000,
  )
  const startedMs = performance.now()
  expect(await over.server.process.kill('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(performance.now() - startedMs).toBeLessThan(20_000)
  await over.server.restart()
  expect(await over.history('outbound')).toMatchObject([
    { status: 'failed', error: { code: 'partially_sent', network_code: 'ESME_RMSGQFUL' } },
  ])
}, 90_000)

test('a second server on the same data folder refuses to start and says who is there', async () => {
  const said = await startServerProcess({ dataFolder: house.dataFolder }).then(
    (second) => second.kill('SIGKILL').then(() => 'it started'),
    (error: unknown) => String(error),
  )
  expect(said).toContain('is in use')
  expect(said).toContain(`process ${house.server.pid}`)
  expect((await house.client.balance(house.liveKey)).granted).toBe(house.granted)
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { isTaken } from '../../src/cli/device/device-taken.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { startApp } from '../harness.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { cli } from '../run-command.ts'

let house: MessagesFixture
beforeEach(async () => {
  house = await openMessagesFixture()
})
afterEach(() => house.close())

/** Time passes by what is waited for alone. */
let waitedMs = 0
const ask = () => {
  waitedMs = 0
  const clock: Clock = {
    now: house.clock.now,
    monotonicMs: () => waitedMs,
    schedule(delayMs, task) {
      waitedMs += delayMs
      setImmediate(task)
      return () => undefined
    },
  }
  return isTaken(clock, house.storage.read, 'dev_a')
}
const runs = (seenAgoMs: number) =>
  house.storage.writer.write((tx) =>
    tx
      .insertInto('server_runs')
      .values({ epoch: 1, started_at: 1, seen_at: house.clock.now() - seenAgoMs })
      .execute(),
  )

test('where no server runs nobody waits for one', async () => {
  expect(await ask()).toBeNull()
  await runs(30_000)
  expect(await ask()).toBeNull()
})

test('a running server is waited for until it has reported the device, for five seconds', async () => {
  await house.addDevice('dev_a')
  await runs(0)
  expect(await ask()).toBe(false)
  expect(waitedMs).toBe(5_000)
  const report = { device_id: 'dev_a', status: 'online', reasons: '[]', body: '{}', reported_at: 1 } as const
  await house.storage.writer.write((tx) => tx.insertInto('device_reports').values(report).execute())
  expect(await ask()).toBe(true)
  expect(waitedMs).toBe(0)
})

test('a send right behind device add finds the device', async () => {
  const app = await startApp()
  try {
    const { liveKey } = await app.openAccount('Ada')
    const added = await cli(['device', 'add', 'simulator', '--shared', '--name', 'S', '--json'], {
      dataFolder: app.dataFolder,
      stdin: '',
      env: {},
    })
    expect(added).toMatchObject({ code: 0 })
    expect((await app.client.send(liveKey, { to: '+4915112345678', text: 'Hello' })).status).toBe(202)
  } finally {
    await app.stop()
  }
})

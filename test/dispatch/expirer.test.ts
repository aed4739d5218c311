import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Link } from '../../src/connectors/connector.ts'
import { releaseHeld } from '../../src/storage/instance/epoch.ts'
import { eventually } from '../eventually.ts'
import { manyNumbers, openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
})
afterEach(() => house.close())

const minuteMs = 60_000
const hourMs = 60 * minuteMs

describe('the expirer', () => {
  test('ends a message about a second after its validity, although its device is offline, and gives its hold back', async () => {
    const { expirer } = house.janitors()
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ parts: 2, expiresAt: house.clock.now() + minuteMs })
    await expirer.start()
    await house.clock.advance(59_000)
    expect(await house.message()).toMatchObject({ status: 'queued', cost_state: 'held' })
    house.clock.jumpWallClock(1_000)
    await eventually(
      async () => {
        await house.clock.advance(1_000)
        return house.message()
      },
      (message) => expect(message.status).toBe('expired'),
    )
    expect(await house.message()).toMatchObject({
      cost_state: 'released',
      charged: 0,
      error_code: 'expired_in_queue',
      attempts: 0,
    })
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
    await expirer.stop()
    await house.sums()
  })

  test('ends what is over on a route, and leaves what is valid beside it', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    for (const minutes of [1, 2, 3]) await house.send({ expiresAt: house.clock.now() + minutes * minuteMs })
    const { expirer } = house.janitors()
    const { commits } = house.storage.writer
    await expirer.sweepAll()
    expect(house.storage.writer.commits, 'nothing is over: nothing is written').toBe(commits)
    for (const expected of [['expired', 'queued', 'queued'], ['expired', 'expired', 'queued'], ['expired', 'expired', 'expired']]) {
      house.clock.jumpWallClock(minuteMs)
      await expirer.sweepAll()
      expect(await house.statuses()).toEqual(expected)
    }
    await house.sums()
  }) // prettier-ignore

  test('is not needed for a message not to go late: a device that comes back after the validity gets nothing', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ expiresAt: house.clock.now() + minuteMs })
    house.clock.jumpWallClock(minuteMs)
    await house.setDevices({})
    await house.dispatcher.drain()
    expect(await house.message()).toMatchObject({ status: 'queued', attempts: 0 })
    await house.janitors().expirer.sweepAll()
    expect(await house.message()).toMatchObject({ status: 'expired', attempts: 0 })
    await house.sums()
  })

  test('a message whose validity ends while its claim waits for the database is not handed over', async () => {
    const submitted: string[] = []
    let room = 0
    await house.addDevice('dev_s')
    const link = house.pool.get('dev_s')!.link as Link
    const submit = link.submit.bind(link)
    Object.defineProperty(link, 'window', { get: () => room })
    link.submit = (submission) => {
      submitted.push(submission.attemptId)
      return submit(submission)
    }
    await house.send({ expiresAt: house.clock.now() + 2_000 })
    // A long write, such as one of the command line: the claim is asked for before the validity ends, and committed after it.
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const writing = house.storage.writer.write(() => {
      begun.resolve()
      return ended.promise
    })
    await begun.promise
    room = 1
    house.dispatcher.nudge()
    // The claim is asked for within this turn, and waits behind the write.
    await new Promise(setImmediate)
    house.clock.jumpWallClock(3_000)
    ended.resolve()
    await writing
    await house.dispatcher.drain()
    await house.janitors().expirer.sweepAll()
    expect(submitted).toEqual([])
    expect(await house.message()).toMatchObject({
      status: 'expired',
      error_code: 'expired_in_queue',
      cost_state: 'released',
    })
    await house.sums()
  })

  test('ends what waits for its next try too, rather than let it go late', async () => {
    await house.addDevice('dev_s', { settings: { refuse: 'now' } })
    await house.send({ expiresAt: house.clock.now() + 10_000 })
    await house.dispatcher.drain()
    expect(await house.message()).toMatchObject({ status: 'queued', attempts: 1 })
    await house.clock.advance(20_000)
    await house.dispatcher.drain()
    await house.janitors().expirer.sweepAll()
    expect(await house.message()).toMatchObject({ status: 'expired', attempts: 1, cost_state: 'released' })
    await house.sums()
  })

  test('leaves alone what is being handed over and what a restore holds', async () => {
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ expiresAt: house.clock.now() + minuteMs })
    expect(await house.claimAndDie(1)).toBe(1)
    await house.send({ expiresAt: house.clock.now() + minuteMs })
    await house.storage.writer.write((tx) => tx.updateTable('queue').set({ restore_hold: 1 }).execute())
    house.clock.jumpWallClock(hourMs)
    await house.janitors().expirer.sweepAll()
    expect(await house.statuses()).toEqual(['sending', 'queued'])
    await releaseHeld(house.storage)
    await house.janitors().expirer.sweepAll()
    expect(await house.statuses()).toEqual(['sending', 'expired'])
    await house.sums()
  })

  test('ends any number in one go, each on its own time', async () => {
    await house.send({ to: manyNumbers(900), expiresAt: house.clock.now() + minuteMs })
    await house.send({ to: manyNumbers(2), expiresAt: house.clock.now() + hourMs })
    house.clock.jumpWallClock(minuteMs)
    await house.janitors().expirer.sweepAll()
    const ended = (await house.statuses()).filter((status) => status === 'expired')
    expect([ended.length, await house.countOf('queue')]).toEqual([900, 2])
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 2, used: 0 })
    house.clock.jumpWallClock(hourMs)
    await house.janitors().expirer.sweepAll()
    expect(await house.countOf('queue')).toBe(0)
    await house.sums()
  })
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { readTimelines } from '../../src/messages/history/history-timeline.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { readShown } from '../messages/shown-messages.ts'

let house: MessagesFixture
beforeEach(async () => {
  house = await openMessagesFixture()
  await house.addAccount('acc_a', 100)
})
afterEach(() => house.close())

/** The one message there is, told as `+seconds status device`. */
async function story(): Promise<string[]> {
  const rows = await readShown(house.storage.read)
  const [timeline = []] = await readTimelines(house.storage.read, { accountId: 'acc_a', mode: 'live' }, rows)
  const startMs = rows[0]?.created_at ?? 0
  return timeline.map(
    ({ atMs, status, deviceId }) =>
      `+${(atMs - startMs) / 1000} ${status}${deviceId === null ? '' : ` ${deviceId}`}`,
  )
}

test('a message that goes through shows each state once', async () => {
  await house.addDevice('dev_a')
  await house.send()
  await house.dispatcher.drain()
  expect(await story()).toEqual(['+0 queued', '+0 sending dev_a', '+0 sent dev_a'])

  await house.clock.advance(3_000)
  await expect.poll(() => house.statuses()).toEqual(['delivered'])

  expect(await story()).toEqual(['+0 queued', '+0 sending dev_a', '+0 sent dev_a', '+3 delivered dev_a'])
})

test('a message that is refused three times shows every way back to the queue', async () => {
  await house.addDevice('dev_a', { settings: { refuse: 'now' } })
  await house.send()
  await house.dispatcher.drain()
  expect(await story()).toEqual(['+0 queued', '+0 sending dev_a', '+0 queued dev_a'])

  await house.clock.advance(15_000)
  await house.dispatcher.drain()
  await house.clock.advance(60_000)
  await house.dispatcher.drain()

  expect(await house.statuses()).toEqual(['failed'])
  expect(await story()).toEqual([
    '+0 queued', '+0 sending dev_a', '+0 queued dev_a', '+15 sending dev_a', '+15 queued dev_a', '+75 sending dev_a', '+75 failed dev_a',
  ]) // prettier-ignore
})

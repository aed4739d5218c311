import { afterEach, beforeEach, expect, test } from 'vitest'
import { type AlertHouse, openAlertHouse } from './alert-house.ts'

let house: AlertHouse
beforeEach(async () => {
  house = await openAlertHouse()
  await house.addDevice('dev_p', { accountId: 'acc_a' })
})
afterEach(() => house.closeAll())

const alerts = () =>
  house.storage.read.selectFrom('alerts').select(['said', 'ended_at']).orderBy('id').execute()

/** Not a minute before. */
const expectToldAfterTenMinutes = async (): Promise<void> => {
  house.minutes(9)
  await house.look()
  expect(house.told()).toEqual([])
  house.minutes(1)
  await house.look()
  expect(house.told()).toEqual(['ada: dev_p is offline'])
}

test('a restart, a move or new settings during an outage neither end its alert nor keep people from being told of its end', async () => {
  await house.setStanding('dev_p', 'offline', ['connect_failed'])
  house.minutes(10)
  await house.look()
  expect(house.told()).toEqual(['ada: dev_p is offline'])
  house.minutes(30)
  await house.setStanding('dev_p', 'pending', ['connecting'])
  await house.look()
  house.minutes(1)
  await house.setStanding('dev_p', 'offline', ['bind_timeout'])
  await house.look()
  expect(await alerts()).toMatchObject([{ ended_at: null }])
  house.minutes(90)
  await house.setStanding('dev_p', 'online')
  await house.look()
  expect(house.told()).toEqual(['ada: dev_p is connected again', 'ada: dev_p is offline'])
})

test('a device that gives another reason every few minutes is told as offline since the first of them', async () => {
  await house.setStanding('dev_p', 'online')
  house.minutes(60)
  await house.setStanding('dev_p', 'pending', ['connecting'])
  house.minutes(1)
  const since = new Date(house.clock.now()).toISOString().slice(0, 16).replace('T', ' ')
  const reasons = ['connect_failed', 'peer_closed', 'bind_timeout', 'connect_failed']
  for (const reason of reasons) {
    await house.setStanding('dev_p', 'offline', [reason])
    house.minutes(1)
    await house.setStanding('dev_p', 'pending', ['connecting'])
    house.minutes(1)
    await house.look()
  }
  await house.setStanding('dev_p', 'offline', ['peer_closed'])
  house.minutes(1)
  await house.look()
  expect(await alerts()).toEqual([])
  house.minutes(1)
  await house.look()
  expect(house.told()).toEqual(['ada: dev_p is offline'])
  expect(await alerts()).toMatchObject([{ said: expect.stringContaining(`since ${since} UTC: peer_closed`) }])
})

test.each(['online', 'degraded', 'disabled'] as const)(
  'an outage begins anew behind a standing as %s',
  async (status) => {
    await house.setStanding('dev_p', 'offline')
    house.minutes(9)
    await house.setStanding('dev_p', status)
    house.minutes(1)
    await house.setStanding('dev_p', 'offline')
    await expectToldAfterTenMinutes()
  },
)

test('a device that nobody has heard of yet is no outage, nor is the instant in which its settings change', async () => {
  await house.setStanding('dev_p', 'pending')
  house.minutes(600)
  await house.look()
  await house.setStanding('dev_p', 'offline')
  await house.look()
  await house.setStanding('dev_p', 'pending')
  house.minutes(600)
  await house.look()
  expect(await alerts()).toEqual([])
})

test('a link that only receives is no alert while it is bound, and is one from its loss until it is bound again', async () => {
  await house.setStanding('dev_p', 'pending', ['connecting', 'receives_only'])
  await house.setStanding('dev_p', 'offline', ['receives_only'])
  house.minutes(600)
  await house.look()
  expect(await alerts()).toEqual([])
  await house.setStanding('dev_p', 'offline', ['connect_failed', 'receives_only'])
  await expectToldAfterTenMinutes()
  await house.setStanding('dev_p', 'offline', ['receives_only'])
  await house.look()
  expect(house.told()).toEqual(['ada: dev_p is connected again', 'ada: dev_p is offline'])
})

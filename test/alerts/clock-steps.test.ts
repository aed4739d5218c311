import { afterEach, beforeEach, expect, test } from 'vitest'
import { pausedForPumping } from '../../src/alerts/paused-accounts.ts'
import { readConfig } from '../../src/config.ts'
import { createAlertWatch } from '../../src/dispatch/sweepers/alert-watch.ts'
import { createLog } from '../../src/process/log.ts'
import { appendAudit } from '../../src/storage/seam/audit-log.ts'
import { type AlertHouse, openAlertHouse } from './alert-house.ts'

let house: AlertHouse
beforeEach(async () => {
  house = await openAlertHouse()
})
afterEach(() => house.closeAll())

const monthMinutes = 30 * 24 * 60

test('what began while the clock was ahead ends when it is right again, and begins anew when it holds then', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.setStanding('dev_p', 'offline')
  house.minutes(monthMinutes)
  await house.look()
  expect(house.told()).toEqual(['ada: dev_p is offline'])
  house.minutes(-monthMinutes)
  await house.setStanding('dev_p', 'online')
  await house.look()
  expect(house.told()).toEqual(['ada: dev_p is connected again', 'ada: dev_p is offline'])
  const [alert] = await house.storage.read.selectFrom('alerts').select(['began_at', 'ended_at']).execute()
  expect(alert?.ended_at).toBe(alert?.began_at)
  await house.setStanding('dev_p', 'offline')
  house.minutes(11)
  await house.look()
  expect(house.told()).toHaveLength(3)
})

test('a device that goes offline after the clock was ahead is told, though its standing waits to be', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  house.minutes(monthMinutes)
  await house.setStanding('dev_p', 'online')
  house.minutes(-monthMinutes)
  await house.setStanding('dev_p', 'offline')
  house.minutes(11)
  await house.look()
  expect(house.told()).toEqual(['ada: dev_p is offline'])
})

test('a mail that was put off while the clock was ahead is sent when it is right again', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.setStanding('dev_p', 'offline')
  house.minutes(monthMinutes)
  house.post.refusal = new Error('busy')
  await house.look()
  house.post.refusal = null
  house.minutes(20 - monthMinutes)
  await house.look()
  expect(house.told()).toEqual(['ada: dev_p is offline'])
})

test('a rule that cannot be looked at keeps no other one from being looked at, and is tried again', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.setStanding('dev_p', 'offline')
  await house.storage.writer.write(async (tx) => {
    await tx.updateTable('accounts').set({ state: 'suspended' }).execute()
    await appendAudit(
      tx,
      { ids: house.ids, nowMs: house.clock.now() },
      { accountId: 'acc_a', actor: 'system', action: pausedForPumping, detail: {} },
    )
  })
  house.minutes(20)
  let isBroken = true
  const read = house.storage.read.withPlugin({
    transformQuery({ node }) {
      if (isBroken && JSON.stringify(node).includes('"device_states"')) throw new Error('not readable')
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const lines: string[] = []
  const log = createLog('error', { write: (line) => void lines.push(line) })
  const config = readConfig({ ONESIXTY_SMTP_URL: house.post.url })
  const watch = createAlertWatch({ ...house, log, config, read, writer: house.storage.writer })
  const kinds = async () =>
    (await house.storage.read.selectFrom('alerts').select('kind').orderBy('kind').execute()).map(
      ({ kind }) => kind,
    )
  await watch.sweepAll()
  expect(await kinds()).toEqual(['pumping_paused'])
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { alerts: ['device_offline'], err: { message: 'not readable' } },
  ])
  isBroken = false
  await watch.sweepAll()
  expect(await kinds()).toEqual(['device_offline', 'pumping_paused'])
})

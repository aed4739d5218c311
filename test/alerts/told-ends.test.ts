import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimMails, settleMails } from '../../src/alerts/alert-mails.ts'
import { writeMutes } from '../../src/alerts/alert-mutes.ts'
import { utcDay } from '../../src/runtime/clock.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type AlertHouse, openAlertHouse } from './alert-house.ts'

let house: AlertHouse
beforeEach(async () => {
  house = await openAlertHouse()
  await house.addDevice('dev_p', { accountId: 'acc_a' })
})
afterEach(() => house.closeAll())

const write: AlertHouse['storage']['writer']['write'] = (unit) => house.storage.writer.write(unit)

/** Looks for a day and a half, as often as a mail may be due. */
async function lookOn(): Promise<void> {
  for (let i = 0; i < 18; i++) {
    house.minutes(120)
    await house.look()
  }
  const waiting = house.storage.read.selectFrom('alert_mails').selectAll().where('done_at', 'is', null)
  expect(await waiting.execute()).toEqual([])
}

test('what is over before the mail server took its first mail is told to nobody, however often that was tried', async () => {
  house.post.refusal = new Error('busy')
  await house.setStanding('dev_p', 'offline')
  house.minutes(10)
  await house.look()
  house.minutes(1)
  await house.look()
  await house.setStanding('dev_p', 'online')
  await house.look()
  house.post.refusal = null
  await lookOn()
  expect(house.told()).toEqual([])
})

test('who never got the mail of the begin, because it was given up, gets none of the end', async () => {
  house.post.refusal = new Error('busy')
  await house.setStanding('dev_p', 'offline')
  for (let i = 0; i < 8; i++) {
    house.minutes(16 * 60)
    await house.look()
  }
  house.post.refusal = null
  await house.setStanding('dev_p', 'online')
  await lookOn()
  expect(house.told()).toEqual([])
})

test.each([
  ['taken', ['ada: dev_p is connected again']],
  ['refused', []],
  ['never heard of again', ['ada: dev_p is connected again']],
  ['never heard of again, and the next one refused', ['ada: dev_p is connected again']],
])(
  'of what ends while its mail is on the way the end is told if that was taken, or may have been: %s',
  async (outcome, told) => {
    house.post.refusal = new Error('busy')
    await house.setStanding('dev_p', 'offline')
    house.minutes(10)
    await house.look()
    house.minutes(1)
    const nowMs = house.clock.now()
    const mails = await write((tx) => claimMails(tx, { nowMs, limit: 10 }))
    expect(mails).toMatchObject([{ userId: 'ada', phase: 'began', tries: 2 }])
    if (outcome.endsWith('the next one refused')) {
      house.minutes(5)
      await house.look()
    }
    house.post.refusal = null
    await house.setStanding('dev_p', 'online')
    await house.look()
    const doneAt = outcome === 'taken' ? nowMs : null
    const settled = mails.map((mail) => ({ ...mail, doneAt, dueAt: nowMs + 300_000 }))
    if (!outcome.startsWith('never')) await write((tx) => settleMails(tx, settled))
    await lookOn()
    expect(house.told()).toEqual(told)
  },
)

test('where the mail server hung up before it said whether it took the begin, the end is told', async () => {
  house.post.hangsUp = true
  await house.setStanding('dev_p', 'offline')
  house.minutes(10)
  await house.look()
  house.post.hangsUp = false
  await house.setStanding('dev_p', 'online')
  await lookOn()
  expect(house.told()).toEqual(['ada: dev_p is connected again', 'ada: dev_p is offline'])
})

test('so it is where every later try was refused, and where the begin was given up', async () => {
  house.post.hangsUp = true
  await house.setStanding('dev_p', 'offline')
  house.minutes(10)
  await house.look()
  house.post.hangsUp = false
  house.post.refusal = new Error('busy')
  for (let i = 0; i < 8; i++) {
    house.minutes(16 * 60)
    await house.look()
  }
  house.post.refusal = null
  await house.setStanding('dev_p', 'online')
  await lookOn()
  expect(house.told()).toEqual(['ada: dev_p is connected again', 'ada: dev_p is offline'])
})

test('of a balance that is low and used up a person is told the worse, or what they have not muted', async () => {
  await write(async (tx) => {
    await insertRows(tx, 'account_users', [{ account_id: 'acc_a', user_id: 'olga', role: 'owner' }])
    await writeMutes(tx, { userId: 'ada', kinds: ['balance_exhausted'] })
    await insertRows(tx, 'usage_days', [
      { account_id: 'acc_a', mode: 'live', day: utcDay(house.clock.now()), parts: 1 },
    ])
  })
  await house.grant(-100)
  await house.look()
  const begun = ['ada: The balance of acc_a is low', 'olga: The balance of acc_a is used up']
  expect(house.told()).toEqual(begun)
  await house.grant(500)
  await house.look()
  const ended = ['ada: The balance of acc_a is above its threshold again', 'olga: acc_a can send again']
  expect(house.told()).toEqual([...begun, ...ended].toSorted())
})

test('who was told that a balance is low is told of its end, though no mail server took that it was used up', async () => {
  await write(async (tx) => {
    await tx.updateTable('wallets').set({ low_threshold: 20 }).execute()
    await insertRows(tx, 'usage_days', [
      { account_id: 'acc_a', mode: 'live', day: utcDay(house.clock.now()), parts: 1 },
    ])
  })
  await house.grant(-85)
  await house.look()
  house.post.refusal = new Error('busy')
  await house.grant(-15)
  await house.look()
  await house.grant(500)
  await house.look()
  house.post.refusal = null
  await lookOn()
  expect(house.told()).toEqual([
    'ada: The balance of acc_a is above its threshold again',
    'ada: The balance of acc_a is low',
  ])
})

test('that it is over is not told any more when it has begun anew meanwhile', async () => {
  await house.setStanding('dev_p', 'offline')
  house.minutes(10)
  await house.look()
  house.post.refusal = new Error('busy')
  await house.setStanding('dev_p', 'online')
  await house.look()
  house.minutes(50)
  await house.look()
  await house.setStanding('dev_p', 'offline')
  house.minutes(10)
  house.post.refusal = null
  await lookOn()
  expect(house.told()).toEqual(['ada: dev_p is offline', 'ada: dev_p is offline'])
  await house.setStanding('dev_p', 'online')
  await lookOn()
  expect(house.told()).toEqual([
    'ada: dev_p is connected again',
    'ada: dev_p is offline',
    'ada: dev_p is offline',
  ])
})

/** It goes, which is told, and comes and goes again while no mail can leave. */
async function goTwice(): Promise<void> {
  await house.setStanding('dev_p', 'offline')
  house.minutes(10)
  await house.look()
  expect(house.told()).toEqual(['ada: dev_p is offline'])
  house.post.refusal = new Error('busy')
  await house.setStanding('dev_p', 'online')
  await house.look()
  house.minutes(61)
  await house.setStanding('dev_p', 'offline')
  house.minutes(10)
  await house.look()
}

test('who heard last that it is offline is told that it is back, though it went once more while no mail could leave', async () => {
  await goTwice()
  await house.setStanding('dev_p', 'online')
  await house.look()
  house.post.refusal = null
  await lookOn()
  expect(house.told()).toEqual(['ada: dev_p is connected again', 'ada: dev_p is offline'])
})

test('who was told that it has begun anew is told once that it is over, however soon that is', async () => {
  await goTwice()
  house.post.refusal = null
  house.minutes(1)
  await house.look()
  expect(house.told()).toEqual(['ada: dev_p is offline', 'ada: dev_p is offline'])
  await house.setStanding('dev_p', 'online')
  await lookOn()
  expect(house.told()).toEqual([
    'ada: dev_p is connected again',
    'ada: dev_p is offline',
    'ada: dev_p is offline',
  ])
})

test('that it was back is told no more where it went once more and was then disabled', async () => {
  await goTwice()
  await write((tx) => tx.updateTable('devices').set({ state: 'disabled' }).execute())
  await house.look()
  house.post.refusal = null
  await lookOn()
  expect(house.told()).toEqual(['ada: dev_p is offline'])
})

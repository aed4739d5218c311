import { writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { cancelMessages } from '../../src/messages/queue/cancel-messages.ts'
import { moveMessages } from '../../src/messages/queue/move-messages.ts'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import { setAccountState } from '../../src/accounts/core/accounts.ts'
import { cancelBeforeClosing } from '../../src/messages/account-state/cancel-before-closing.ts'
import { advanceEpoch, releaseHeld } from '../../src/storage/instance/epoch.ts'
import { epochFile } from '../../src/storage/instance/epoch-file.ts'
import { endHeld } from '../../src/cli/message/message-ports.ts'
import { openScheduledHouse, owner, type ScheduledHouse } from './scheduled-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { acceptedAs } from '../../src/messages/send/send-ids.ts'

let house: ScheduledHouse
beforeEach(async () => {
  house = await openScheduledHouse()
})
afterEach(() => house.close())

const hourMs = 3_600_000

test('closing the account cancels what is scheduled; suspending it keeps it', async () => {
  await house.addDevice('dev_s')
  await house.later(hourMs)
  const set = (state: 'suspended' | 'closed') =>
    house.storage.writer.write((tx) =>
      setAccountState(
        tx,
        {
          ids: house.ids,
          nowMs: house.clock.now(),
          cancelWaiting: async (inTx, id) =>
            cancelBeforeClosing(inTx, await takeChange(inTx, house.clock.now()), id),
        },
        { accountId: 'acc_a', state, actor: 'test' },
      ),
    )
  await set('suspended')
  expect(await house.statuses()).toEqual(['scheduled'])
  await set('closed')
  expect(await house.message()).toMatchObject({ status: 'canceled', error_code: 'account_closed' })
  await house.sums()
})

test('a restore holds what is scheduled, whatever its time, until somebody decides', async () => {
  await house.addDevice('dev_s')
  await house.later(hourMs)
  await house.later(2 * hourMs)
  await writeFile(epochFile(house.dataFolder), '9\n')
  const { restored, heldMessages } = await advanceEpoch(house.storage, house.dataFolder, house.clock.now())
  expect([restored, heldMessages]).toEqual([true, 2])
  await house.later(60_000)
  house.clock.jumpWallClock(hourMs)
  await house.settle()
  expect(await house.statuses()).toEqual(['scheduled', 'scheduled', 'sent'])
  expect(await releaseHeld(house.storage)).toBe(2)
  await house.settle()
  expect(await house.statuses()).toEqual(['sent', 'scheduled', 'sent'])
  await house.storage.writer.write((tx) => tx.updateTable('deferred').set({ restore_hold: 1 }).execute())
  expect(await endHeld(house.storage, 'settle', () => house.clock.now())).toEqual({
    ended: 1,
    isMoreHeld: false,
  })
  expect(await house.statuses()).toEqual(['sent', 'unconfirmed', 'sent'])
  await house.sums()
})

test('moved earlier or later, it goes at its new time and lives as long from then', async () => {
  await house.addDevice('dev_s')
  const begin = house.clock.now()
  await house.later(hourMs)
  const { id, sequence } = await house.message()
  const moveTo = (sendAtMs: number) =>
    house.storage.writer.write(async (tx) =>
      moveMessages(tx, await takeChange(tx, house.clock.now()), [{ ...owner, messageId: id }], sendAtMs),
    )
  expect(await moveTo(begin + 2 * hourMs)).toEqual([
    { messageId: id, result: 'moved', status: 'scheduled', sendAtMs: begin + 2 * hourMs },
  ])
  expect(await house.message()).toMatchObject({
    expires_at: begin + 2 * hourMs + dayMs,
    sequence: sequence + 1,
  })
  await house.sums()
  house.clock.jumpWallClock(hourMs)
  await house.settle()
  expect(await house.statuses()).toEqual(['scheduled'])
  // A time that has passed means at once.
  expect(await moveTo(begin)).toMatchObject([{ result: 'moved', sendAtMs: begin + hourMs }])
  await house.settle()
  expect(await house.statuses()).toEqual(['sent'])
  expect(await moveTo(begin + 3 * hourMs)).toMatchObject([{ result: 'too_late', status: 'sent' }])
  expect(await house.message()).toMatchObject({ status: 'sent', send_at: begin + hourMs })
  await house.sums()
})

test('a canceled one gives its SMS back and never goes; of another account it is not found', async () => {
  await house.addDevice('dev_s')
  await house.later(hourMs)
  const { id } = await house.message()
  const cancel = (accountId: string) =>
    house.storage.writer.write(async (tx) =>
      cancelMessages(
        tx,
        await takeChange(tx, house.clock.now()),
        [{ ...owner, accountId, messageId: id }],
        'canceled_by_user',
      ),
    )
  expect(await cancel('acc_b')).toMatchObject([{ result: 'not_found' }])
  expect(await cancel('acc_a')).toMatchObject([{ result: 'canceled', status: 'canceled' }])
  expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 0, used: 0 })
  await house.sums()
  house.clock.jumpWallClock(hourMs)
  await house.settle()
  expect(await house.message()).toMatchObject({ status: 'canceled', attempts: 0 })
  expect(await cancel('acc_a')).toMatchObject([{ result: 'too_late' }])
  await house.sums()
})

test('canceled or moved in the moment in which its time comes, it is either canceled or moved and not handed over, or handed over', async () => {
  await house.addDevice('dev_s')
  const rounds = 40
  const to = Array.from({ length: 12 }, (_, i) => `+49151${20_000_000 + i}`)
  const tally = { canceled: 0, moved: 0, submitted: 0 }
  for (let round = 0; round < rounds; round++) {
    const sendAt = house.clock.now() + 1_000
    const send = house.request({ to, sendAt, expiresAt: sendAt + dayMs })
    const [sent] = await house.storage.writer.write((tx) =>
      sendMessages(tx, [send], takeChange(tx, send.createdAt)),
    )
    if (sent?.kind !== 'accepted') throw new Error('the send was refused')
    house.clock.jumpWallClock(999)
    const nowMs = sendAt
    const ends: Promise<{ messageId: string; result: string }[]>[] = []
    const wishes = acceptedAs(send, sent.place).messageIds.map((messageId, i) => () => {
      const keys = [{ ...owner, messageId }]
      const unit =
        i % 3 === 0
          ? house.storage.writer.write(async (tx) =>
              moveMessages(tx, await takeChange(tx, nowMs), keys, sendAt + dayMs),
            )
          : house.storage.writer.write(async (tx) =>
              cancelMessages(tx, await takeChange(tx, nowMs), keys, 'canceled_by_user'),
            )
      ends.push(unit)
    })
    const early = round % (wishes.length + 1)
    for (const wish of wishes.slice(0, early)) wish()
    house.clock.jumpWallClock(1)
    const released = house.releaser.sweepAll().then(() => house.dispatcher.drain())
    // So that some are too late however slow the machine is.
    if (round % 4 === 3) await released
    for (const wish of wishes.slice(early)) {
      // The event loop decides who comes first.
      await new Promise((resolve) => setImmediate(resolve))
      wish()
    }
    const answers = (await Promise.all(ends)).flat()
    await released
    await house.settle()
    const rows = await house.storage.read
      .selectFrom('messages')
      .select(['id', 'status', 'attempts'])
      .where('send_id', '=', send.sendId)
      .execute()
    const now = new Map(rows.map((row) => [row.id, row]))
    for (const { messageId, result } of answers) {
      const { status, attempts } = now.get(messageId)!
      const said = result === 'too_late' ? 'submitted' : (result as 'canceled' | 'moved')
      tally[said] += 1
      const expected = {
        submitted: { status: 'sent', attempts: 1 },
        canceled: { status: 'canceled', attempts: 0 },
        moved: { status: 'scheduled', attempts: 0 },
      }[said]
      expect({ status, attempts }).toEqual(expected)
    }
  }
  await house.sums()
  // Each of the three ends was raced for.
  for (const count of Object.values(tally)) expect(count).toBeGreaterThan(10)
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { StorageError } from '../../src/storage/seam/dialect.ts'
import { eventually } from '../eventually.ts'
import { openMessagesFixture, type MessagesFixture } from '../messages-fixture.ts'
import { firstOf, readShown } from '../messages/shown-messages.ts'

let house: MessagesFixture
beforeEach(async () => {
  house = await openMessagesFixture()
  await house.addAccount('acc_a', 10)
})
afterEach(() => house.close())

const message = async () => firstOf(await readShown(house.storage.read))
const wallet = () =>
  house.storage.read
    .selectFrom('wallets')
    .select(['reserved', 'used'])
    .where('account_id', '=', 'acc_a')
    .where('mode', '=', 'live')
    .executeTakeFirstOrThrow()

test('a refusal for good fails the message and gives the hold back', async () => {
  await house.addDevice('dev_s', { settings: { refuse: 'good' } })
  await house.send({ parts: 2 })
  await house.dispatcher.drain()
  expect(await message()).toMatchObject({ status: 'failed', cost_state: 'released', charged: 0, attempts: 1 })
  expect((await message()).error_code).not.toBeNull()
  expect(await wallet()).toEqual({ reserved: 0, used: 0 })
})

test('a refusal for now is tried three times, after 15 s and 60 s, then the message fails', async () => {
  await house.addDevice('dev_s', { settings: { refuse: 'now' } })
  await house.send()
  await house.dispatcher.drain()
  expect(await message()).toMatchObject({ status: 'queued', attempts: 1, cost_state: 'held' })
  await house.clock.advance(14_000)
  await house.dispatcher.drain()
  expect(await message()).toMatchObject({ status: 'queued', attempts: 1 })
  await house.clock.advance(1_000)
  await house.dispatcher.drain()
  expect(await message()).toMatchObject({ status: 'queued', attempts: 2 })
  await house.clock.advance(60_000)
  await house.dispatcher.drain()
  expect(await message()).toMatchObject({ status: 'failed', attempts: 3, cost_state: 'released' })
  expect(await wallet()).toEqual({ reserved: 0, used: 0 })
})

test('a throttled device costs the message no attempt that counts and about a second', async () => {
  await house.addDevice('dev_s', { settings: { refuse: 'busy' } })
  await house.send()
  for (let i = 0; i < 6; i++) {
    await house.dispatcher.drain()
    await house.clock.advance(1_000)
  }
  // The last turn of the clock has begun another try.
  await house.dispatcher.drain()
  expect((await message()).status).toBe('queued')
  expect((await message()).attempts).toBeGreaterThan(3)
  expect(
    (await house.storage.read.selectFrom('queue').select('refusals').executeTakeFirstOrThrow()).refusals,
  ).toBe(0)
})

test('an unknown outcome ends the message without a charge and is never sent again', async () => {
  await house.addDevice('dev_s', { settings: { fail: 'unknown' } })
  await house.send()
  await house.dispatcher.drain()
  expect(await message()).toMatchObject({
    status: 'unconfirmed',
    cost_state: 'released',
    possible_duplicate: 0,
    attempts: 1,
  })
  await house.clock.advance(120_000)
  await house.dispatcher.drain()
  expect((await message()).attempts).toBe(1)
})

test('with resend_once an unknown outcome goes once more, on one hold', async () => {
  await house.addDevice('dev_s', { settings: { fail: 'unknown' } })
  await house.send({ onUnknown: 'resend_once' })
  await house.dispatcher.drain()
  expect(await message()).toMatchObject({
    status: 'unconfirmed',
    possible_duplicate: 1,
    attempts: 2,
    held: 1,
    charged: 0,
  })
  expect(await wallet()).toEqual({ reserved: 0, used: 0 })
})

test('an own device carries the message even while a shared one is idle', async () => {
  await house.addDevice('dev_shared')
  await house.addDevice('dev_own', { accountId: 'acc_a' })
  await house.send()
  await house.dispatcher.drain()
  expect((await message()).device_id).toBe('dev_own')
})

test('a sender goes only to a device that may use it', async () => {
  await house.addDevice('dev_plain', { accountId: 'acc_a' })
  await house.addDevice('dev_named', { senders: ['ACME'] })
  await house.send({ from: 'ACME' })
  await house.dispatcher.drain()
  expect((await message()).device_id).toBe('dev_named')
})

test('an offline device is passed over, and what waits goes when it is back', async () => {
  await house.addDevice('dev_s', { settings: { offline: 'true' } })
  await house.send()
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['queued'])
  await house.storage.writer.write(async (tx) => {
    await tx
      .updateTable('devices')
      .set({ settings: '{}', updated_at: house.clock.now() + 1 })
      .execute()
    await tx
      .updateTable('instance')
      .set((eb) => ({ directory_version: eb('directory_version', '+', 1) }))
      .execute()
  })
  await house.pool.reloadIfChanged()
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sent'])
})

test('a frozen account waits while others go, and nothing new is accepted for it', async () => {
  await house.addAccount('acc_b', 10)
  await house.send()
  await house.send({ accountId: 'acc_b' })
  await house.storage.writer.write(async (tx) => {
    await tx.updateTable('accounts').set({ state: 'suspended' }).where('id', '=', 'acc_a').execute()
    await touchDirectory(tx)
  })
  expect(await house.send()).toMatchObject({ kind: 'refused', code: 'account_suspended' })
  await house.addDevice('dev_s')
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['queued', 'sent'])
})

test('authentication goes before transactional, transactional before marketing', async () => {
  await house.send({ category: 'marketing' })
  await house.send({ category: 'transactional' })
  await house.send({ category: 'authentication' })
  await house.addDevice('dev_s', { pace: [1, 60], settings: { delay_ms: '600000' } })
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['queued', 'queued', 'sent'])
  await house.clock.advance(60_000)
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['queued', 'sent', 'sent'])
})

test('forty at once with ten SMS: exactly ten are accepted', async () => {
  const results = await Promise.all(Array.from({ length: 40 }, () => house.send()))
  expect(results.filter((result) => result.kind === 'accepted')).toHaveLength(10)
  expect(
    results.filter((result) => result.kind === 'refused' && result.code === 'insufficient_balance'),
  ).toHaveLength(30)
})

test.each([
  ['an outcome that the database refuses in every form', 'constraint'],
  ['one whose row lies on a damaged page', 'damaged_page'],
] as const)('%s holds up no other, and its message never goes again', async (_, fault) => {
  const poison = { messageId: '', offered: 0 }
  let failsToClaim = false
  const odd = await openMessagesFixture(undefined, {
    around: (units) => ({
      ...units,
      async claim(input) {
        const claimed = await units.claim(input)
        if (!failsToClaim) return claimed
        failsToClaim = false
        throw new StorageError('nobody answers for the commit', 'outcome_unknown', true)
      },
      async settleOutcomes(settlements) {
        if (settlements.every(({ messageId }) => messageId !== poison.messageId))
          return units.settleOutcomes(settlements)
        poison.offered += 1
        throw new StorageError('it is not taken', fault, false)
      },
    }),
  })
  const messages = async () => {
    await odd.clock.advance(250)
    return (await readShown(odd.storage.read)).map(({ id, status, attempts }) => ({ id, status, attempts }))
  }
  const states = async () => (await messages()).map(({ status }) => status)
  try {
    await odd.addAccount('acc_a', 10)
    for (let i = 0; i < 3; i++) await odd.send()
    poison.messageId = (await messages())[0]?.id ?? ''
    // No receipt comes while the test turns the clock.
    await odd.addDevice('dev_s', { settings: { delay_ms: '600000' } })
    await eventually(states, (seen) => expect(seen).toEqual(['sending', 'sent', 'sent']))
    await odd.dispatcher.drain()
    const { offered } = poison
    // A claim that nobody answers for makes the node look at what stands open under its name.
    failsToClaim = true
    for (let i = 0; i < 2; i++) await odd.send()
    await eventually(states, (seen) => expect(seen).toEqual(['sending', 'sent', 'sent', 'sent', 'sent']))
    expect((await messages())[0]).toMatchObject({ id: poison.messageId, attempts: 1 })
    expect(poison.offered).toBe(offered)
  } finally {
    // It waits for nothing that nobody will store.
    await odd.close()
  }
})

test('what the database takes of nobody for a while says nothing of an outcome, which is stored as it was told', async () => {
  let refused = 0
  const odd = await openMessagesFixture(undefined, {
    around: (units) => ({
      ...units,
      async settleOutcomes(settlements) {
        // The batch, and then each of its two more often than what is refused for itself is offered.
        if (++refused > 12) return units.settleOutcomes(settlements)
        throw new StorageError('permission denied for table messages (42501)', 'other', false)
      },
    }),
  })
  try {
    await odd.addAccount('acc_a', 10)
    for (let i = 0; i < 2; i++) await odd.send()
    await odd.addDevice('dev_s', { settings: { delay_ms: '600000' } })
    const states = async () => {
      await odd.clock.advance(250)
      return odd.statuses()
    }
    await eventually(states, (seen) => expect(seen).toEqual(['sent', 'sent']), 10_000)
    expect(refused).toBeGreaterThan(12)
  } finally {
    await odd.close()
  }
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { type MessageDetails, readMessageDetails } from '../../src/messages/history/message-details.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'

let house: MessagesFixture
beforeEach(async () => {
  house = await openMessagesFixture()
  await house.addAccount('acc_a', 100)
})
afterEach(() => house.close())

const owner = { accountId: 'acc_a', mode: 'live' } as const

/** The story of the one message there is. */
async function story(): Promise<MessageDetails> {
  const { id } = await house.storage.read.selectFrom('messages').select('id').executeTakeFirstOrThrow()
  const told = await readMessageDetails(house.storage.read, owner, id)
  if (told === null) throw new Error('There is no such message.')
  return told
}

test('a message that waits tells who sent it and when it may be handed over', async () => {
  await house.send({ keyId: 'usr_ada' })
  const { sentBy, attempts, dueAtMs, receiptsAwaited, message } = await story()
  expect({ sentBy, attempts, dueAtMs, receiptsAwaited }).toEqual({
    sentBy: 'usr_ada',
    attempts: [],
    dueAtMs: message.created_at,
    receiptsAwaited: 0,
  })
})

test('a message that was refused tells why, and when it goes again', async () => {
  await house.addDevice('dev_a', { settings: { refuse: 'now' } })
  await house.send()
  await house.dispatcher.drain()
  const { attempts, dueAtMs, message } = await story()
  expect(attempts).toEqual([
    expect.objectContaining({ number: 1, deviceId: 'dev_a', state: 'refused', networkIds: [] }),
  ])
  expect(attempts[0]?.outcome).not.toBeNull()
  expect(dueAtMs).toBe(message.created_at + 15_000)
})

test('a message of two parts that was sent waits for a receipt of each, until they came', async () => {
  await house.addDevice('dev_a')
  await house.send({ parts: 2, text: 'x'.repeat(200), units: 200 })
  await house.dispatcher.drain()
  const sent = await story()
  expect(sent.receiptsAwaited).toBe(2)
  expect(sent.attempts[0]?.networkIds).toHaveLength(2)
  expect(sent.dueAtMs).toBeNull()

  await house.clock.advance(3_000)
  await expect.poll(() => house.statuses()).toEqual(['delivered'])

  expect((await story()).receiptsAwaited).toBe(0)
})

test('a message of another account or of the other mode has no story', async () => {
  await house.send()
  const { message } = await story()
  const { read } = house.storage
  expect(await readMessageDetails(read, { accountId: 'acc_b', mode: 'live' }, message.id)).toBeNull()
  expect(await readMessageDetails(read, { accountId: 'acc_a', mode: 'test' }, message.id)).toBeNull()
})

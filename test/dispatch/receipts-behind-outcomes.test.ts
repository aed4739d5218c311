import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Submission } from '../../src/connectors/connector.ts'
import { StorageError } from '../../src/storage/seam/dialect.ts'
import { eventually } from '../eventually.ts'
import { openMessagesFixture, type MessagesFixture } from '../messages-fixture.ts'
import { scriptedKind } from './scripted-kind.ts'

const submitted: Submission[] = []

/** A network that calls each message after its text; receipts come when the test says so. */
const kind = scriptedKind({
  submit: async (one) => {
    submitted.push(one)
    return { kind: 'accepted', networkIds: [one.text], receiptExpected: true }
  },
})

/** What was posted to the writer, in order. */
let posted: string[]
let isHeld: boolean
let letGo: (error?: Error) => void
let house: MessagesFixture
beforeEach(async () => {
  submitted.length = 0
  posted = []
  isHeld = true
  const held = new Promise<void>((resolve, reject) => {
    letGo = (error) => (error === undefined ? resolve() : reject(error))
  })
  held.catch(() => undefined)
  house = await openMessagesFixture(kind, {
    around: (units) => ({
      ...units,
      async settleOutcomes(settlements) {
        posted.push(...settlements.map(({ networkIds }) => `outcome of ${networkIds.join()}`))
        if (isHeld) await held
        return units.settleOutcomes(settlements)
      },
      settleReceipts(words) {
        posted.push(...words.map(({ networkId }) => `receipt of ${networkId}`))
        return units.settleReceipts(words)
      },
    }),
  })
  await house.addAccount('acc_a', 20)
  await house.addDevice('dev_s')
})
afterEach(() => house.close())

const deliver = (networkId: string) =>
  house.dispatcher.receipt('dev_s', { networkId, result: 'delivered', code: null, networkCode: null })

/** Sends a message and waits until the device has answered for it. */
async function submitText(text: string): Promise<void> {
  await house.send({ text })
  await eventually(
    async () => submitted.map((each) => each.text),
    (texts) => expect(texts).toContain(text),
  )
}

test('a receipt goes to the database behind the outcome that was told before it, and finds its message', async () => {
  await submitText('first')
  await eventually(
    async () => posted,
    (seen) => expect(seen).toEqual(['outcome of first']),
  )
  await submitText('second')
  const delivered = Promise.all([deliver('second'), deliver('first')])
  await new Promise((resolve) => setImmediate(resolve))
  expect(posted, 'the receipts wait for the outcome').toEqual(['outcome of first'])
  isHeld = false
  letGo()
  await delivered
  expect(posted).toEqual(['outcome of first', 'outcome of second', 'receipt of second', 'receipt of first'])
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['delivered', 'delivered'])
})

test('receipts wait no longer than until the database is known to take no outcomes', async () => {
  await submitText('first')
  await eventually(
    async () => posted,
    (seen) => expect(seen).toEqual(['outcome of first']),
  )
  await submitText('second')
  const delivered = deliver('of another')
  await new Promise((resolve) => setImmediate(resolve))
  isHeld = false
  letGo(new StorageError('away', 'unavailable', true))
  await delivered
  expect(posted).toEqual(['outcome of first', 'receipt of of another'])
  await house.clock.advance(250)
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sent', 'sent'])
})

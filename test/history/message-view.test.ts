import { globSync, readFileSync } from 'node:fs'
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { messageExample } from '../../src/api/v1/message-example.ts'
import { asAccepted, MessageSchema, renderAccepted, renderMessage } from '../../src/api/v1/message-view.ts'
import { messageErrorCodes, messageErrors } from '../../src/messages/core/message-errors.ts'
import { openMessagesFixture } from '../messages-fixture.ts'
import { deliveredAt, failedAt, storedMessage } from './stored-messages.ts'
import { acceptedAs } from '../../src/messages/send/send-ids.ts'

const schema = Compile(MessageSchema)
const createdAt = Date.parse('2026-11-21T09:30:00.000Z')
const stored = (row: object) =>
  storedMessage({ id: 'msg_01k9ktqv1hfm3se9a0x5rtb8vq', created_at: createdAt, ...row })

test('the example of the reference and every rendered message keep to the schema and its order', () => {
  const views = [
    messageExample,
    renderMessage(stored({})),
    renderMessage(
      stored({ ...deliveredAt(createdAt + 3_000), metadata: '{"a":"b"}', client_reference: 'x' }),
    ),
    renderMessage(
      stored({
        ...failedAt(createdAt + 3_000, 'device_error'),
        network_code: '38',
        text: null,
        text_redacted: 1,
      }),
    ),
    renderMessage(
      stored({
        direction: 'inbound',
        status: 'received',
        recipient: '',
        cost_state: 'none',
        expires_at: null,
      }),
    ),
  ]
  expect(views.map((view) => [...schema.Errors(view)])).toEqual(views.map(() => []))
  expect(views.map((view) => Object.keys(view))).toEqual(
    views.map(() => Object.keys(MessageSchema.properties)),
  )
})

test('an error tells its cause, whether to try again, and the word of the network', () => {
  const failed = stored({ ...failedAt(createdAt, 'unreachable'), network_code: '27' })
  expect(renderMessage(failed).error).toEqual({
    code: 'unreachable',
    message: messageErrors.unreachable.summary,
    retryable: true,
    network_code: '27',
  })
})

test('an error that this version does not know keeps its code and is explained as unknown', () => {
  const failed = stored(failedAt(createdAt, 'constructor'))
  expect(renderMessage(failed).error).toMatchObject({
    code: 'constructor',
    message: messageErrors.unknown.summary,
    retryable: false,
  })
})

test('whatever may have reached the recipient is not called retryable', () => {
  const doubtful = [
    'device_unresponsive',
    'device_unclear',
    'partially_sent',
    'receipt_missing',
    'unknown',
  ] as const
  expect(doubtful.filter((code) => messageErrors[code].retryable)).toEqual([])
  expect(messageErrorCodes.filter((code) => !/^[A-Z].{30,}\.$/s.test(messageErrors[code].summary))).toEqual(
    [],
  )
})

test('a correction leaves a message final and its cost as it was', () => {
  const corrected = stored({
    ...deliveredAt(createdAt + 9_000),
    corrected: 1,
    finalized_at: createdAt + 5_000,
    charged: 0,
    cost_state: 'released',
  })
  expect(renderMessage(corrected)).toMatchObject({
    status: 'delivered',
    final: true,
    cost: { held: 1, charged: 0, state: 'released' },
    finalized_at: '2026-11-21T09:30:05.000Z',
  })
})

test('a message that has moved on is shown as it was accepted, just as it was answered then', async () => {
  const house = await openMessagesFixture()
  await house.addAccount('acc_a', 100)
  await house.addDevice('dev_a')
  const send = house.request({
    to: ['+4915112345678', '+4915112345679'],
    metadata: '{"shop":"berlin"}',
    clientReference: 'order-1',
    parts: 2,
    units: 200,
  })
  const accepted = await house.send({ ...send, to: ['+4915112345678', '+4915112345679'] })
  if (accepted.kind !== 'accepted') throw new Error(`the send was ${accepted.kind}`)
  await house.dispatcher.drain()
  const rows = await house.storage.read.selectFrom('messages').selectAll().orderBy('id').execute()
  expect(rows.map((row) => row.status)).toEqual(['sent', 'sent'])
  expect(rows.map((row) => renderMessage(asAccepted(row, null)))).toEqual(
    renderAccepted({ ...send, ...acceptedAs(send, accepted.place) }),
  )
  await house.close()
})

test('each cause that the reference explains is given somewhere', () => {
  const sources = globSync('src/**/*.ts', { exclude: ['src/messages/core/message-errors.ts'] })
  const all = sources.map((file) => readFileSync(file, 'utf8')).join('\n')
  expect(messageErrorCodes.filter((code) => !all.includes(`'${code}'`))).toEqual([])
})

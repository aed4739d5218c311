import { Compile } from 'typebox/compile'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { renderAccepted } from '../../src/api/v1/message-view.ts'
import { SendSchema, writeSendAnswer } from '../../src/api/v1/send-answer.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { sendRequest } from '../send-request.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({ config: { sendPerMinute: 0 } })
})
afterAll(() => api.close())

const to = '+4915112345678'
const isSend = Compile(SendSchema)
const at = (afterMs: number) => new Date(api.clock.now() + afterMs).toISOString()
const dayMs = 86_400_000

test('a send for later is scheduled, its validity counts from then, and history shows the same message', async () => {
  const answer = await api.send({ to, text: 'x', send_at: '2026-11-22T08:00:00+01:00', validity_period: 600 })
  expect(answer.status).toBe(202)
  const [message] = answer.body.messages
  expect(message).toMatchObject({
    status: 'scheduled',
    final: false,
    send_at: '2026-11-22T07:00:00.000Z',
    expires_at: '2026-11-22T07:10:00.000Z',
    cost: { held: 1, charged: 0, state: 'held' },
  })
  expect(isSend.Check(answer.body)).toBe(true)
  await api.clock.advance(1)
  expect((await api.request('GET', `/api/v1/history?id=${message.id}`)).body.data).toEqual([message])
  expect((await api.request('GET', `/api/v1/history?status=scheduled`)).body.data).toEqual([message])
  const changedSince = (instant: string) => api.request('GET', `/api/v1/history?updated_after=${instant}`)
  expect((await changedSince(message.created_at)).body.data).toEqual([message])
  expect((await changedSince(at(0))).body.data).toEqual([])
  expect((await api.request('GET', '/api/v1/status')).body.queue).toMatchObject({
    messages: 0,
    scheduled_messages: 1,
  })
})

test('up to a minute past means at once; more than that, and more than 30 days ahead, is refused', async () => {
  for (const past of [at(0), at(-60_000)]) {
    const { body } = await api.send({ to, text: 'x', send_at: past })
    expect(body.messages[0]).toMatchObject({ status: 'queued', send_at: null, expires_at: at(dayMs) })
  }
  expect((await api.send({ to, text: 'x', send_at: null })).body.messages[0].status).toBe('queued')
  expect((await api.send({ to, text: 'x', send_at: at(30 * dayMs) })).status).toBe(202)
  for (const wrong of [at(-60_001), at(30 * dayMs + 1)])
    expect((await api.send({ to, text: 'x', send_at: wrong })).body.errors).toMatchObject([
      { pointer: '/send_at', code: 'out_of_range' },
    ])
})

test('a time without an offset, and one that there is not, is refused', async () => {
  const faultOf = async (sendAt: unknown) =>
    (await api.send({ to, text: 'x', send_at: sendAt })).body.errors[0]
  expect(await faultOf('2026-11-22T08:00:00')).toMatchObject({
    pointer: '/send_at',
    code: 'invalid_format',
    suggestion: '2026-11-22T08:00:00Z',
  })
  for (const wrong of ['2026-11-31T08:00:00Z', 'tomorrow', '2026-11-22 08:00:00Z', ''])
    expect(await faultOf(wrong)).toMatchObject({ pointer: '/send_at', code: 'invalid_format' })
  expect(await faultOf(1_795_000_000)).toMatchObject({ pointer: '/send_at', code: 'wrong_type' })
})

test('a repeated key gives the first answer again, even when the message was moved meanwhile', async () => {
  const body = { to: [to, '+4915112345679'], text: 'x', send_at: at(dayMs) }
  const headers = { 'idempotency-key': 'later' }
  const first = await api.send(body, { headers })
  await api.storage.writer.write((tx) =>
    tx
      .updateTable('messages')
      .set((is) => ({
        send_at: is('send_at', '+', 3_600_000),
        expires_at: is('expires_at', '+', 3_600_000),
      }))
      .where('send_id', '=', first.body.id)
      .execute(),
  )
  const again = await api.send(body, { headers })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
})

test('a dry run for later says what the answer would be', async () => {
  const { body, status } = await api.send({ to, text: 'x', send_at: at(dayMs), dry_run: true })
  expect(status).toBe(200)
  expect(body.messages[0]).toMatchObject({ status: 'scheduled', send_at: at(dayMs) })
})

test('the answer that is written by hand is the one that is rendered, for later as for now', () => {
  fc.assert(
    fc.property(fc.option(fc.nat({ max: 4_000_000_000_000 }), { nil: undefined }), (sendAt) => {
      const send = sendRequest(
        { ids: createIds({ now: () => 1 }), nowMs: 1 },
        { to: [to], ...(sendAt === undefined ? {} : { sendAt }) },
      )
      const written = JSON.parse(
        writeSendAnswer(
          send,
          false,
        )({
          balanceAvailable: 1,
          isLow: false,
          sendId: send.sendId,
          messageIds: send.messageIds,
          acceptedAt: send.createdAt,
          dueAt: send.createdAt,
          updatedAt: send.createdAt,
        }),
      ) as {
        messages: unknown
      }
      expect(written.messages).toEqual(renderAccepted(send))
    }),
  )
})

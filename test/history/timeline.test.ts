import { expect, test } from 'vitest'
import { timelineOf } from '../../src/messages/history/history-timeline.ts'
import { deliveredAt, storedMessage } from './stored-messages.ts'

const startMs = 1_000_000
const attempt = {
  id: 'att_1',
  device_id: 'dev_1',
  state: 'accepted' as const,
  started_at: startMs + 10,
  ended_at: startMs + 20,
}
const statesOf = (...parameters: Parameters<typeof timelineOf>): string[] =>
  timelineOf(...parameters).map((entry) => `${entry.status} +${entry.atMs - startMs}`)
const message = (row: Parameters<typeof storedMessage>[0] | object) =>
  storedMessage({ id: 'msg_1', created_at: startMs, attempts: 1, ...row })

test('a waiting message is queued', () => {
  expect(statesOf(message({ attempts: 0 }), [])).toEqual(['queued +0'])
})

test('two refusals, then a device that takes it', () => {
  const refused = { ...attempt, state: 'refused' as const }
  const attempts = [
    refused,
    { ...refused, id: 'att_2', started_at: startMs + 100, ended_at: startMs + 110 },
    { ...attempt, id: 'att_3', started_at: startMs + 200, ended_at: startMs + 210 },
  ]
  expect(statesOf(message({ ...deliveredAt(startMs + 300), sent_at: startMs + 210 }), attempts)).toEqual([
    'queued +0', 'sending +10', 'queued +20', 'sending +100', 'queued +110', 'sending +200', 'sent +210', 'delivered +300',
  ]) // prettier-ignore
})

test('a message that expired after a refusal was waiting again, and no device expired it', () => {
  const expired = message({
    status: 'expired',
    finalized_at: startMs + 500,
    settled_at: startMs + 500,
    cost_state: 'released',
  })
  const timeline = timelineOf(expired, [{ ...attempt, state: 'refused' }])
  expect(timeline.map((entry) => entry.status)).toEqual(['queued', 'sending', 'queued', 'expired'])
  expect(timeline.at(-1)).toMatchObject({ attemptId: null, deviceId: null })
})

test('a message whose lost first try was reported delivered shows that it had waited for a second, and whose word it was', () => {
  const lost = { ...attempt, state: 'unknown' as const }
  const delivered = { ...deliveredAt(startMs + 500), sent_at: startMs + 500, possible_duplicate: 1 as const }
  const timeline = timelineOf(message(delivered), [lost])
  expect(timeline.map((entry) => entry.status)).toEqual(['queued', 'sending', 'queued', 'sent', 'delivered'])
  expect(timeline.at(-1)).toMatchObject({ attemptId: 'att_1', deviceId: 'dev_1' })

  const putOff = {
    ...attempt,
    id: 'att_2',
    state: 'refused' as const,
    started_at: startMs + 100,
    ended_at: startMs + 110,
  }
  const later = timelineOf(message({ ...delivered, attempts: 2 }), [lost, putOff])
  expect(later.map((entry) => entry.status)).toEqual([
    'queued', 'sending', 'queued', 'sending', 'queued', 'sent', 'delivered',
  ]) // prettier-ignore
  expect(later.at(-1)).toMatchObject({ attemptId: 'att_1', deviceId: 'dev_1' })
})

test('a message that a device refused for good ends with that attempt', () => {
  const failed = message({
    status: 'failed',
    finalized_at: startMs + 20,
    settled_at: startMs + 20,
    cost_state: 'released',
  })
  const timeline = timelineOf(failed, [{ ...attempt, state: 'refused' }])
  expect(timeline.map((entry) => entry.status)).toEqual(['queued', 'sending', 'failed'])
  expect(timeline.at(-1)).toMatchObject({ attemptId: 'att_1', deviceId: 'dev_1' })
})

test('a correction shows the final state that it corrected', () => {
  const corrected = {
    ...deliveredAt(startMs + 900),
    corrected: 1 as const,
    sent_at: startMs + 20,
    finalized_at: startMs + 500,
    settled_at: startMs + 900,
  }
  expect(statesOf(message(corrected), [attempt])).toEqual([
    'queued +0',
    'sending +10',
    'sent +20',
    'unconfirmed +500',
    'delivered +900',
  ])
  expect(
    statesOf(message({ ...corrected, sent_at: startMs + 900, finalized_at: startMs + 20 }), [
      { ...attempt, state: 'refused' },
    ]),
  ).toEqual(['queued +0', 'sending +10', 'failed +20', 'sent +900', 'delivered +900'])
})

test('a scheduled message is queued when it is due', () => {
  const sendAt = startMs + 5
  expect(statesOf(message({ status: 'scheduled', attempts: 0, send_at: sendAt }), [])).toEqual([
    'scheduled +0',
  ])
  expect(statesOf(message({ ...deliveredAt(startMs + 20), send_at: sendAt }), [attempt])).toEqual([
    'scheduled +0',
    'queued +5',
    'sending +10',
    'sent +20',
    'delivered +20',
  ])
})

test('a received message was received', () => {
  expect(statesOf(message({ direction: 'inbound', status: 'received', attempts: 0 }), [])).toEqual([
    'received +0',
  ])
})

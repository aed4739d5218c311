import { expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import {
  optOutUnknown,
  notLogged,
  settlementsOf,
  optedOutMeanwhile,
} from '../../src/dispatch/submissions/finished-submission.ts'
import {
  busyBackoffMs,
  faultOfDevice,
  judgeOutcome,
  refusalBackoffsMs,
} from '../../src/dispatch/outcomes/retry-policy.ts'
import { isValidOutcome } from '../../src/dispatch/outcomes/valid-outcome.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'

const claimed = (facts: Partial<Claimed> = {}, refusals = 0): Claimed => ({
  accountId: 'acc_a',
  mode: 'live',
  messageId: 'msg_a',
  attemptId: 'att_a',
  attemptNumber: 1,
  startedAt: 0,
  deviceId: 'dev_a',
  to: '+4915112345678',
  from: null,
  text: 'Hello',
  encoding: 'gsm7',
  parts: 3,
  category: 'transactional',
  expiresAt: 1_000_000,
  onUnknown: 'stop',
  possibleDuplicate: false,
  position: { route_key: 'live:', priority: 1, due_at: 0, refusals },
  ...facts,
})
const refused = (lasts: 'good' | 'now' | 'busy' | 'expired'): Outcome => ({
  kind: 'refused',
  lasts,
  code: 'no_service',
  networkCode: '8',
})
const unknown: Outcome = { kind: 'unknown', networkIds: [], partsTaken: 1, detail: 'no answer' }

test('of an unknown outcome a receipt is expected where it has IDs, and only there', () => {
  expect(judgeOutcome(claimed(), unknown, 0).receiptExpected).toBe(false)
  expect(judgeOutcome(claimed(), { ...unknown, networkIds: ['n1'] }, 0).receiptExpected).toBe(true)
})

test('a device that says to have taken more parts than there are has taken all of them', () => {
  const partial = {
    kind: 'partial',
    networkIds: [],
    receiptExpected: false,
    code: 'network_rejected',
    networkCode: null,
  } as const
  for (const outcome of [
    { ...unknown, partsTaken: 4 },
    { ...partial, partsTaken: 4 },
  ])
    expect(judgeOutcome(claimed(), outcome, 0).partsTaken).toBe(3)
})

test('a device that answered with an unclear failure is not called unresponsive, and its value is kept', () => {
  expect(judgeOutcome(claimed(), unknown, 5).error).toEqual({
    code: 'device_unresponsive',
    networkCode: null,
  })
  const answered: Outcome = { ...unknown, answered: { networkCode: 'ESME_RUNKNOWNERR' } }
  expect(judgeOutcome(claimed(), answered, 5).error).toEqual({
    code: 'device_unclear',
    networkCode: 'ESME_RUNKNOWNERR',
  })
  const answers = [answered.answered, { networkCode: null }, {}, { networkCode: 7 }, null]
  expect(answers.map((each) => isValidOutcome({ ...unknown, answered: each }))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test('what was accepted waits for one receipt for each part on the wire', () => {
  const outcome: Outcome = { kind: 'accepted', networkIds: ['1', '2', '3'], receiptExpected: true }
  expect(judgeOutcome(claimed(), outcome, 5)).toMatchObject({
    attemptState: 'accepted',
    end: null,
    networkIds: ['1', '2', '3'],
    partsTaken: 3,
    requeue: null,
  })
})

test('the first and second refusal for now come again after 15 and 60 s, the third ends the message', () => {
  expect(refusalBackoffsMs).toEqual([15_000, 60_000])
  expect(judgeOutcome(claimed({}, 0), refused('now'), 5)).toMatchObject({
    attemptState: 'refused',
    end: null,
    requeue: { dueAt: 15_005, refusals: 1 },
  })
  expect(judgeOutcome(claimed({}, 1), refused('now'), 5)).toMatchObject({
    attemptState: 'refused',
    end: null,
    requeue: { dueAt: 60_005, refusals: 2 },
  })
  expect(judgeOutcome(claimed({}, 2), refused('now'), 5)).toMatchObject({
    end: 'failed',
    requeue: null,
    error: { code: 'no_service' },
  })
})

test('a throttled or unreachable device costs at most 2 s, no attempt that counts, and no place in the queue', () => {
  expect(busyBackoffMs).toBeLessThanOrEqual(2_000)
  const position = { route_key: 'live:', priority: 1, due_at: 17, refusals: 2 }
  for (const outcome of [refused('busy'), { kind: 'unavailable', detail: 'gone' } as const]) {
    expect(judgeOutcome(claimed({ position }), outcome, 5_000)).toMatchObject({
      attemptState: 'refused',
      end: null,
      requeue: { dueAt: 17, refusals: 2 },
    })
  }
})

test('whatever is throttled keeps its place for ten tries, and goes behind what came later then: it may be about the message alone', () => {
  const position = { route_key: 'live:', priority: 1, due_at: 17, refusals: 2 }
  const again = [1, 10, 11, 12, 20].map(
    (attemptNumber) => judgeOutcome(claimed({ attemptNumber, position }), refused('busy'), 5_000).requeue,
  )
  expect(again.map((each) => each?.dueAt)).toEqual([17, 17, 7_000, 9_000, 65_000])
  expect(new Set(again.map((each) => each?.refusals))).toEqual(new Set([2]))
})

test('where no device rests for it, the message does: the device was not asked', () => {
  for (const outcome of [optOutUnknown, notLogged, optedOutMeanwhile])
    expect(settlementsOf([{ claimed: claimed(), device: null, outcome }], 5_000, 6_000)).toMatchObject([
      { end: null, requeue: { dueAt: 6_000 + busyBackoffMs } },
    ])
})

test('a recipient whose queue is full is asked each second at first, then ever more rarely, and no try counts', () => {
  const full = { ...refused('busy'), recipientAlone: true } as Outcome
  const waits = [1, 10, 11, 12, 15, 16, 17, 2_000].map(
    (attemptNumber) => judgeOutcome(claimed({ attemptNumber }, 2), full, 0).requeue,
  )
  expect(waits.map((again) => again?.dueAt)).toEqual([
    1_000, 1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
  ])
  expect(new Set(waits.map((again) => again?.refusals))).toEqual(new Set([2]))
})

test('an unknown outcome is never sent again, unless the caller chose that and it was not used yet', () => {
  expect(judgeOutcome(claimed(), unknown, 0)).toMatchObject({
    attemptState: 'unknown',
    end: null,
    requeue: null,
  })
  expect(judgeOutcome(claimed({ onUnknown: 'resend_once' }), unknown, 7)).toMatchObject({
    attemptState: 'unknown',
    possibleDuplicate: true,
    requeue: { dueAt: 7, refusals: 0 },
  })
  expect(
    judgeOutcome(claimed({ onUnknown: 'resend_once', possibleDuplicate: true }), unknown, 0),
  ).toMatchObject({ attemptState: 'unknown', end: null, requeue: null })
})

test('some parts taken and the rest refused is a failure of its own, and so is an end of validity at the device', () => {
  const partial: Outcome = {
    kind: 'partial',
    networkIds: ['1'],
    partsTaken: 1,
    receiptExpected: true,
    code: 'number_invalid',
    networkCode: null,
  }
  expect(judgeOutcome(claimed(), partial, 0)).toMatchObject({
    end: 'failed',
    partsTaken: 1,
    error: { code: 'partially_sent' },
  })
  expect(judgeOutcome(claimed(), refused('expired'), 0)).toMatchObject({ end: 'expired' })
  expect(judgeOutcome(claimed(), refused('good'), 0)).toMatchObject({
    end: 'failed',
    error: { networkCode: '8' },
  })
})

test('a device is blamed for what it refused or left open, and not for a message that expired or a recipient that opted out', () => {
  const refusal = { kind: 'refused', networkCode: null } as const
  const partial = { kind: 'partial', networkIds: ['a'], partsTaken: 1, receiptExpected: true, networkCode: null } as const
  expect([
    { kind: 'accepted', networkIds: ['a'], receiptExpected: true } as const,
    { ...refusal, lasts: 'good', code: 'sim_blocked' } as const,
    { ...refusal, lasts: 'expired', code: 'expired_in_network' } as const,
    { ...partial, code: 'network_rejected' },
    { ...partial, code: 'recipient_opted_out' },
    { ...partial, code: 'expired_in_queue' },
    { kind: 'unavailable', detail: 'The link is not bound.' } as const,
    { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'No answer came.' } as const,
  ].map(faultOfDevice)).toEqual([
    null, 'sim_blocked', null, 'network_rejected', null, null, 'The link is not bound.', 'No answer came.',
  ])
}) // prettier-ignore

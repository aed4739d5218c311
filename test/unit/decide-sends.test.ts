import { expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { type Decision, decideSends, type SendStanding } from '../../src/messages/send/decide-sends.ts'
import type { SendRequest } from '../../src/messages/send/send-request.ts'
import { sendRequest } from '../send-request.ts'

const midnight = 20_000 * dayMs
const ids = createIds({ now: () => midnight })

/** A send of so many messages. */
const send = (messages: number, more: Partial<SendRequest> = {}): SendRequest =>
  sendRequest(
    { ids, nowMs: midnight - 1 },
    { to: Array.from({ length: messages }, () => '+491511'), ...more },
  )

const walletOf = (accountId: string, more: object = {}) => ({
  account_id: accountId, mode: 'live' as const, granted: 120, reserved: 15, used: 5, used_archived: 0, own_reserved: 0, own_used: 0, own_used_archived: 0, low_threshold: 10, refilled_day: null, ...more,
}) // prettier-ignore

const standing = (more: Partial<SendStanding> = {}): SendStanding => ({
  wallets: new Map(['acc_a', 'acc_b'].map((id) => [`${id}/live`, walletOf(id)])),
  barred: new Map(),
  waiting: new Map(),
  reservedOfDay: new Map(),
  ...more,
})

const decided = (requests: readonly SendRequest[], known = standing()): (string | number)[] =>
  decideSends(requests, known).map((decision) =>
    decision.kind === 'accept' ? decision.balanceAvailable : decision.code,
  )
const refusal = (decision: Decision | undefined): object => {
  expect(decision).toMatchObject({ kind: 'refuse' })
  return (decision as Extract<Decision, { kind: 'refuse' }>).extra
}

test('the last SMS go to whoever comes first in a batch, and each account has its own', () => {
  const ofB = { accountId: 'acc_b' }
  expect(decided([send(30, { parts: 3 }), send(11), send(100, ofB), send(10), send(1), send(1, ofB)])).toEqual([
    10, 'insufficient_balance', 0, 0, 'insufficient_balance', 'insufficient_balance',
  ]) // prettier-ignore
})

test('who lacks SMS is told how many are required and how many are left after those before it', () => {
  const [, second] = decideSends([send(60), send(21, { parts: 2 })], standing())
  expect(refusal(second)).toEqual({
    detail: '42 SMS required, 40 available.',
    required: 42,
    available: 40,
  })
})

test('a balance is low from its threshold on', () => {
  const decisions = decideSends([send(89), send(1), send(1)], standing())
  expect(decisions).toMatchObject([{ isLow: false }, { isLow: true }, { isLow: true }])
})

test('what waits, and what a batch adds, fills the queue to its limit and not beyond', () => {
  const limited = (messages: number, more: Partial<SendRequest> = {}) =>
    send(messages, { queueLimit: 10, ...more })
  const known = standing({ waiting: new Map([['acc_a/live', 4]]) })
  const requests = [limited(7), limited(4, { parts: 5 }), limited(2), limited(1), limited(10, { accountId: 'acc_b' }), send(1)] // prettier-ignore
  expect(decided(requests, known)).toEqual(['queue_full', 80, 78, 'queue_full', 90, 77])
})

test('who finds the queue full is told how many wait', () => {
  const known = standing({ waiting: new Map([['acc_a/live', 3]]) })
  const [, second] = decideSends([send(2, { queueLimit: 6 }), send(2, { queueLimit: 6 })], known)
  expect(refusal(second)).toEqual({
    detail: '5 messages are scheduled or queued. The limit is 6.',
    violated_policies: ['queue'],
    headers: { 'retry-after': '10' },
  })
})

test('a key has its cap for itself, and a new one with each UTC day', () => {
  const capped = (messages: number, more: Partial<SendRequest> = {}) =>
    send(messages, { dailyCap: 10, ...more })
  const known = standing({ reservedOfDay: new Map([['key_a/19999', 3]]) })
  const requests = [
    capped(4, { parts: 2 }), capped(3, { parts: 2 }), capped(2), send(5), capped(1), capped(10, { keyId: 'key_b' }), capped(10, { createdAt: midnight }), capped(1, { createdAt: midnight }),
  ] // prettier-ignore
  expect(decided(requests, known)).toEqual([
    'rate_limited',
    94,
    'rate_limited',
    89,
    88,
    78,
    68,
    'rate_limited',
  ])
})

test.each([
  [90_000, '90'],
  [90_001, '91'],
])('%i ms before the day ends, who has reached the cap is told to wait for %s s', (leftMs, seconds) => {
  const capped = [1, 2].map(() => send(7, { dailyCap: 10, createdAt: midnight - leftMs }))
  expect(refusal(decideSends(capped, standing())[1])).toEqual({
    detail: 'This key can send 10 SMS per day (UTC) and has sent 7.',
    violated_policies: ['key-daily-cap'],
    headers: { 'retry-after': seconds },
  })
})

test('the account is looked at before the queue, the queue before the cap, and the cap before the balance', () => {
  const tooMuch = send(200, { queueLimit: 1, dailyCap: 1 })
  const full = { ...tooMuch, queueLimit: 0 }
  expect(decided([tooMuch, full, { ...full, dailyCap: null }])).toEqual([
    'queue_full',
    'rate_limited',
    'insufficient_balance',
  ])
  expect(decided([tooMuch], standing({ barred: new Map([['acc_a', 'suspended']]) }))).toEqual([
    'account_suspended',
  ])
  const closed = decideSends([tooMuch], standing({ barred: new Map([['acc_a', 'closed']]) }))
  expect(closed).toMatchObject([{ code: 'invalid_token' }])
  expect(refusal(closed[0])).toEqual({
    headers: { 'www-authenticate': 'Bearer realm="onesixty", error="invalid_token"' },
  })
})

test('an account without a wallet is a bug and sends nothing', () => {
  expect(() => decideSends([send(1, { mode: 'test' })], standing())).toThrow('has no test wallet')
})

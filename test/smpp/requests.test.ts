import { expect, test } from 'vitest'
import type { LateAnswer, RequestOutcome } from '../../src/smpp/session/request-outcome.ts'
import { Requests } from '../../src/smpp/session/requests.ts'
import { defaultSessionLimits } from '../../src/smpp/session/session-limits.ts'
import { message } from './session-fixture.ts'

/** Requests whose numbers go from 1 to 4, without a connection. */
function startRequests() {
  const [sent, late]: [number[], LateAnswer[]] = [[], []]
  const outcomes: RequestOutcome<'submit_sm_resp'>['kind'][] = []
  let nowMs = 0
  let canSend = true
  let doubts = 0
  /** When the peer was heard last; null is all the time. */
  let receivedMs: number | null = null
  const requests = new Requests(
    {
      alarm: { by: () => undefined },
      limits: { ...defaultSessionLimits, responseTimeoutMs: 100 },
      monotonicMs: () => nowMs,
      receivedMs: () => receivedMs ?? nowMs,
      send: ({ sequence }) => {
        sent.push(sequence)
        return null
      },
      canSend: () => canSend,
      late: (answer) => void late.push(answer),
      suspected: () => void (doubts += 1),
      ended: () => undefined,
    },
    { first: 1, last: 4 },
  )
  return {
    requests,
    sent,
    late,
    outcomes,
    ask: () => requests.ask('submit_sm', message, ({ kind }) => void outcomes.push(kind)),
    answer: (sequence: number) => requests.answer('submit_sm_resp', sequence, 0, null),
    /** Lets the peer take nothing, or something again. */
    block: (isBlocked: boolean) => (canSend = !isBlocked),
    /** From now on the peer is not heard, or is heard again. */
    hush: (isSilent: boolean) => (receivedMs = isSilent ? nowMs : null),
    doubts: () => doubts,
    advance(ms: number) {
      nowMs += ms
      return requests.check(nowMs, nowMs)
    },
    written: () => requests.written(nowMs, nowMs),
  }
}

test('a number is used again only when no answer to it may come any more', () => {
  const { sent, ask, answer, advance, written, late } = startRequests()
  for (let i = 0; i < 3; i++) ask()
  written()
  answer(1)
  answer(3)
  // 2 is in flight.
  for (let i = 0; i < 3; i++) ask()
  expect(sent).toEqual([1, 2, 3, 4, 1, 3])
  written()
  for (const sequence of [4, 1, 3]) answer(sequence)
  advance(100)
  // 2 has timed out, and its answer may come late.
  for (let i = 0; i < 3; i++) ask()
  expect(sent.slice(6)).toEqual([4, 1, 3])
  expect([answer(2), late.length]).toEqual([true, 1])
  ask()
  expect(sent.at(-1)).toBe(2)
})

test('an answer to what was not handed over yet is nobody’s', () => {
  const { ask, answer, written, outcomes } = startRequests()
  ask()
  expect(answer(1)).toBe(false)
  written()
  expect([answer(1), outcomes]).toEqual([true, ['response']])
})

test('the time of a request runs from its hand-over', () => {
  const { ask, advance, written, outcomes } = startRequests()
  ask()
  expect([advance(1_000), outcomes]).toEqual([Number.POSITIVE_INFINITY, []])
  written()
  expect([advance(99), advance(1), outcomes]).toEqual([1_100, Number.POSITIVE_INFINITY, ['unknown']])
})

test('no time runs while nothing is heard', () => {
  const { requests, ask, written, outcomes } = startRequests()
  ask()
  written()
  expect([requests.check(300, null), outcomes]).toEqual([400, []])
  // Of 300 ms, 240 were spent deaf.
  expect([requests.check(300, 60), outcomes]).toEqual([340, []])
})

test('four times its time is the end of a request, also when nothing is heard', () => {
  const { requests, ask, written, outcomes, answer, late } = startRequests()
  ask()
  written()
  requests.check(399, null)
  expect(outcomes).toEqual([])
  requests.check(400, null)
  expect([outcomes, answer(1), late.length]).toEqual([['unknown'], true, 1])
})

test('a peer that we do not hear is not dead for it', () => {
  const { requests, written, outcomes } = startRequests()
  requests.control('enquire_link', null, 100, ({ kind }) => void outcomes.push(kind))
  written()
  requests.check(100_000, null)
  expect(outcomes).toEqual([])
  requests.check(100_000, 100)
  expect(outcomes).toEqual(['unknown'])
})

test('what waits while the peer takes nothing goes out when it does', () => {
  const { requests, sent, ask, block } = startRequests()
  block(true)
  ask()
  expect([sent, requests.room, requests.waiting]).toEqual([[], 0, 1])
  block(false)
  requests.admit()
  expect([sent, requests.waiting]).toEqual([[1], 0])
})

test('when an answer did not come, nothing leaves that waits until the peer is heard again', () => {
  const { requests, sent, ask, advance, written, hush, doubts } = startRequests()
  requests.setWindow(1)
  for (let i = 0; i < 2; i++) ask()
  written()
  hush(true)
  advance(100)
  requests.admit()
  ask()
  expect([sent, requests.room, requests.waiting, doubts()]).toEqual([[1], 0, 2, 1])
  hush(false)
  requests.admit()
  expect([sent, requests.waiting]).toEqual([[1, 2], 1])
})

test('at the end, what was handed over is unknown and the rest was not written', () => {
  const { requests, ask, written, outcomes, block } = startRequests()
  ask()
  written()
  ask()
  block(true)
  ask()
  requests.close()
  expect(outcomes).toEqual(['not_written', 'unknown', 'not_written'])
  ask()
  expect([outcomes.at(-1), requests.inFlight, requests.waiting]).toEqual(['not_written', 0, 0])
})

import { expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { Breaker } from '../../src/dispatch/trust/breaker.ts'

const minuteMs = 60_000
const restMs = 5 * minuteMs
const known: Outcome = { kind: 'accepted', networkIds: ['n'], receiptExpected: true }
const unknown: Outcome = { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no answer' }
const refused: Outcome = { kind: 'refused', lasts: 'busy', code: 'network_congested', networkCode: null }
const unavailable: Outcome = { kind: 'unavailable', detail: 'not bound' }
const expired: Outcome = { kind: 'refused', lasts: 'expired', code: 'expired_in_queue', networkCode: null }

const cut: Outcome = { ...unknown, connectionLost: true }

/** Tells it an outcome many times, and gives the changes. */
const tell = (breaker: Breaker, outcome: Outcome, times: number, nowMs = 0) =>
  Array.from({ length: times }, () => breaker.record(outcome, nowMs)).filter((change) => change !== null)

test('20 unknown outcomes in a row open it, once, and 19 do not', () => {
  const breaker = new Breaker(restMs)
  expect(tell(breaker, unknown, 19)).toEqual([])
  expect(breaker.stateAt(0)).toBe('closed')
  expect(tell(breaker, unknown, 5)).toEqual(['opened'])
  expect(breaker.stateAt(0)).toBe('open')
})

test('any answer ends the run, one that says nothing of the peer does not', () => {
  const breaker = new Breaker(restMs)
  tell(breaker, unknown, 19)
  tell(breaker, refused, 1)
  expect(tell(breaker, unknown, 19)).toEqual([])
  expect(tell(breaker, unavailable, 100)).toEqual([])
  expect(tell(breaker, expired, 100)).toEqual([])
  expect(tell(breaker, unknown, 1)).toEqual(['opened'])
})

test('more than 1 % of 200 open it, 1 % does not, and fewer than 200 do not tell', () => {
  const breaker = new Breaker(restMs)
  tell(breaker, unknown, 3)
  expect(tell(breaker, known, 196)).toEqual([])
  expect(tell(breaker, known, 1)).toEqual(['opened'])
  const other = new Breaker(restMs)
  tell(other, unknown, 2)
  expect(tell(other, known, 198)).toEqual([])
  expect(tell(other, unknown, 1)).toEqual(['opened'])
})

test('once somebody has seen to it, what was before does not count', () => {
  const breaker = new Breaker(restMs)
  tell(breaker, unknown, 3)
  tell(breaker, known, 196)
  breaker.reset()
  expect(tell(breaker, known, 200)).toEqual([])
})

test('it tells for how long it has been open, and nothing while it is closed', () => {
  const breaker = new Breaker(restMs)
  expect(breaker.openedForMs(minuteMs)).toBeNull()
  tell(breaker, unknown, 20, minuteMs)
  expect(breaker.openedForMs(3 * minuteMs)).toBe(2 * minuteMs)
})

test('what is 10 minutes old does not count', () => {
  const breaker = new Breaker(restMs)
  tell(breaker, unknown, 15)
  tell(breaker, known, 100)
  expect(tell(breaker, known, 1_000, 10 * minuteMs)).toEqual([])
  expect(tell(breaker, unknown, 10, 10 * minuteMs)).toEqual([])
  expect(tell(breaker, unknown, 1, 10 * minuteMs)).toEqual(['opened'])
})

test('what had been handed over before it opened changes nothing', () => {
  const breaker = new Breaker(restMs)
  tell(breaker, unknown, 20)
  expect(tell(breaker, known, 100, restMs - 1)).toEqual([])
  expect(breaker.stateAt(restMs - 1)).toBe('open')
})

test('after its rest it is on trial: 20 answers close it, and it begins from nothing', () => {
  const breaker = new Breaker(restMs)
  tell(breaker, unknown, 20)
  expect(breaker.stateAt(restMs)).toBe('trial')
  expect(tell(breaker, known, 19, restMs)).toEqual([])
  expect(tell(breaker, known, 1, restMs)).toEqual(['closed'])
  expect(tell(breaker, unknown, 19, restMs)).toEqual([])
  expect(breaker.stateAt(restMs)).toBe('closed')
})

test('on trial one unknown outcome opens it for another rest', () => {
  const breaker = new Breaker(restMs)
  tell(breaker, unknown, 20)
  tell(breaker, known, 19, restMs)
  expect(tell(breaker, unknown, 1, restMs)).toEqual(['opened'])
  expect(breaker.stateAt(2 * restMs - 1)).toBe('open')
  expect(breaker.stateAt(2 * restMs)).toBe('trial')
  expect(tell(breaker, known, 19, 2 * restMs)).toEqual([])
})

test('with no rest set it stays open until somebody sees to it, and with the shortest it does not', () => {
  const breaker = new Breaker(0)
  tell(breaker, unknown, 20)
  expect(breaker.stateAt(1e12)).toBe('open')
  breaker.reset()
  expect(breaker.stateAt(1e12)).toBe('closed')
  const brief = new Breaker(1)
  tell(brief, unknown, 20)
  expect(brief.stateAt(1)).toBe('trial')
})

test('a lost connection counts once, however much was open, and never in the share', () => {
  const breaker = new Breaker(restMs)
  for (let second = 0; second < 60; second++) {
    expect(tell(breaker, cut, 50, second * 1_000)).toEqual([])
    expect(tell(breaker, known, 1, second * 1_000)).toEqual([])
  }
  expect(breaker.stateAt(60_000)).toBe('closed')
})

test('a peer that takes messages and hangs up 20 times without a single answer is found out', () => {
  const breaker = new Breaker(restMs)
  for (let second = 0; second < 19; second++) expect(tell(breaker, cut, 50, second * 1_000)).toEqual([])
  expect(tell(breaker, cut, 50, 19_000)).toEqual(['opened'])
  expect(tell(breaker, known, 3, 19_000 + restMs)).toEqual([])
  expect(tell(breaker, cut, 1, 19_000 + restMs)).toEqual(['opened'])
})

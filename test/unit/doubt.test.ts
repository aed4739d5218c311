import { expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { FaultDetector } from '../../src/dispatch/trust/doubt.ts'

const restMs = 300_000
const good: Outcome = { kind: 'accepted', networkIds: ['1'], receiptExpected: true }
const unknown: Outcome = { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no answer' }
const refused = (lasts: 'good' | 'now' | 'busy' | 'expired', facts: object = {}): Outcome => ({
  kind: 'refused',
  lasts,
  code: 'no_service',
  networkCode: null,
  ...facts,
})

/** Hears all of these, a second apart. */
function hearing(outcomes: readonly Outcome[], doubt = new FaultDetector(restMs)): FaultDetector {
  outcomes.forEach((outcome, i) => doubt.record(outcome, i * 1_000))
  return doubt
}
const times = (count: number, outcome: Outcome): Outcome[] => Array.from({ length: count }, () => outcome)

test.for([
  ['an answer that did not come', unknown],
  ['a refusal for now', refused('now')],
  ['a refusal that is the SIM’s', refused('good', { deviceAlone: true })],
] as const)('five in a row of %s put a device in doubt, and four do not', ([, outcome]) => {
  expect(hearing(times(4, outcome)).isDoubted).toBe(false)
  expect(hearing(times(5, outcome)).isDoubted).toBe(true)
  expect(hearing([...times(4, outcome), good, ...times(4, outcome)]).isDoubted).toBe(false)
})

test.for([
  ['a recipient who takes nothing', refused('now', { recipientAlone: true })],
  ['a message that no device would send', refused('good')],
  ['a throttled device', refused('busy')],
  ['a validity that has ended', refused('expired')],
  ['a device that is away', { kind: 'unavailable', detail: 'gone' }],
] as const satisfies readonly (readonly [string, Outcome])[])(
  '%s is no fault, and hides none',
  ([, outcome]) => {
    expect(hearing(times(50, outcome)).isDoubted).toBe(false)
    expect(hearing(times(5, unknown).flatMap((fault) => [fault, outcome])).isDoubted).toBe(true)
  },
)

test('half of the last twenty put a device in doubt, within ten minutes, and less than half do not', () => {
  const half = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? good : unknown))
  expect(hearing(half.slice(1)).isDoubted).toBe(false)
  expect(hearing(half).isDoubted).toBe(true)
  const slow = new FaultDetector(restMs)
  half.forEach((outcome, i) => slow.record(outcome, i * 32_000))
  expect(slow.isDoubted).toBe(false)
  expect(hearing(Array.from({ length: 100 }, (_, i) => (i % 7 < 3 ? unknown : good))).isDoubted).toBe(false)
})

test('what is cut off within a second was cut off at once', () => {
  const cut: Outcome = { ...unknown, connectionLost: true }
  for (const [apartMs, faults] of [[999, 1], [1_000, 2]] as const) {
    const doubt = new FaultDetector(restMs)
    for (const nowMs of [5_000, 5_000 + apartMs]) doubt.record(cut, nowMs)
    expect(doubt.faults).toBe(faults)
  }
}) // prettier-ignore

test('a lost connection is one fault, however much was open on it, and five of them in a row are five', () => {
  const cut: Outcome = { ...unknown, connectionLost: true }
  const doubt = new FaultDetector(restMs)
  for (let cuts = 0; cuts < 5; cuts++) {
    expect(doubt.isDoubted).toBe(false)
    for (let i = 0; i < 50; i++) doubt.record(cut, cuts * 2_000)
  }
  expect(doubt.isDoubted).toBe(true)
})

test('alone it is tried behind a pause of 10 s that doubles up to the rest, and beside sound ones once in each rest', () => {
  const doubt = hearing(times(5, unknown))
  let failedAtMs = 4_000
  for (const pauseMs of [10_000, 20_000, 40_000, 80_000, 160_000, restMs, restMs]) {
    expect(doubt.mayProbe(failedAtMs + pauseMs - 1, false)).toBe(false)
    expect(doubt.mayProbe(failedAtMs + pauseMs, false)).toBe(true)
    expect(doubt.mayProbe(failedAtMs + restMs - 1, true)).toBe(false)
    expect(doubt.mayProbe(failedAtMs + restMs, true)).toBe(true)
    failedAtMs += pauseMs
    expect(doubt.record(unknown, failedAtMs)).toBe('failed')
  }
})

test('what it was given before it was in doubt makes no pause longer', () => {
  const doubt = hearing(times(5, unknown))
  for (let i = 0; i < 15; i++) expect(doubt.record(unknown, 5_000)).toBeNull()
  expect(doubt.mayProbe(14_000, false)).toBe(true)
})

test('five that go well in a row end the doubt, without a pause between them', () => {
  const doubt = hearing(times(5, unknown))
  for (let i = 1; i < 5; i++) {
    expect(doubt.record(good, 20_000 + i)).toBeNull()
    expect([doubt.mayProbe(20_000 + i, false), doubt.mayProbe(20_000 + i, true)]).toEqual([true, true])
  }
  expect(doubt.record(unknown, 21_000)).toBe('failed')
  for (let i = 1; i < 5; i++) doubt.record(good, 60_000 + i)
  expect(doubt.isDoubted).toBe(true)
  expect(doubt.record(good, 61_000)).toBe('ended')
  expect(doubt.isDoubted).toBe(false)
})

test('where devices rest until they are changed it is not tried beside sound ones, and alone it still gets its turns', () => {
  const doubt = hearing(times(5, unknown), new FaultDetector(0))
  expect(doubt.mayProbe(10 ** 9, true)).toBe(false)
  expect(doubt.mayProbe(14_000, false)).toBe(true)
  for (let i = 1; i < 12; i++) doubt.record(unknown, i * 1_000_000)
  expect(doubt.mayProbe(11_000_000 + 300_000, false)).toBe(true)
})

const unclear = refused('now', { mayBeRecipient: true })
const of = (accountId: string, to = '+4915112345678') => ({ accountId, to })

test('what may be the fault of the recipients of one account is none of the device, and that of two accounts in a row is', () => {
  const doubt = new FaultDetector(restMs)
  for (let i = 0; i < 100; i++) doubt.record(unclear, i, of('acc_a'))
  expect(doubt.isDoubted).toBe(false)
  doubt.record(good, 100, of('acc_b'))
  for (let i = 0; i < 100; i++) doubt.record(unclear, 100 + i, of('acc_a'))
  expect(doubt.isDoubted).toBe(false)
  for (let i = 0; i < 5; i++) doubt.record(unclear, 200 + i, of(i % 2 === 0 ? 'acc_b' : 'acc_a'))
  expect(doubt.isDoubted).toBe(true)
})

/** Messages of one account to so many numbers, the first at `fromMs`, a second apart. */
const toNumbers = (
  doubt: FaultDetector,
  outcome: Outcome,
  numbers: readonly number[],
  fromMs: number,
): void =>
  numbers.forEach(
    (n, i) => void doubt.record(outcome, fromMs + i * 1_000, of('acc_a', `+49151${10_000_000 + n}`)),
  )
const fiveNumbers = [1, 2, 3, 4, 5]

test('five numbers of one account that a link took lately, refused in a row, put it in doubt, and one that was taken in between does not', () => {
  const doubt = new FaultDetector(restMs)
  toNumbers(doubt, good, fiveNumbers, 0)
  toNumbers(doubt, unclear, [1, 2, 3, 4], 10_000)
  toNumbers(doubt, good, [6], 20_000)
  toNumbers(doubt, unclear, [5, 1, 2, 3], 30_000)
  expect([doubt.isDoubted, doubt.faults]).toEqual([false, 0])
  toNumbers(doubt, unclear, [4], 40_000)
  expect([doubt.isDoubted, doubt.faults]).toEqual([true, 5])
  expect(doubt.record(unclear, 51_000, of('acc_a', '+4915199999999'))).toBe('failed')
})

test('numbers that a link never took, or took the last time a day ago, tell nothing of it, however many it refuses', () => {
  const doubt = new FaultDetector(restMs)
  toNumbers(doubt, good, fiveNumbers, 0)
  toNumbers(
    doubt,
    unclear,
    Array.from({ length: 100 }, (_, i) => 100 + i),
    10_000,
  )
  toNumbers(doubt, unclear, fiveNumbers, 86_404_000)
  expect(doubt.isDoubted).toBe(false)
})

test('a few numbers that cannot be reached now, tried again and again, put no link in doubt, nor do they beside numbers that can', () => {
  const doubt = new FaultDetector(restMs)
  toNumbers(doubt, good, fiveNumbers, 0)
  for (let i = 0; i < 25; i++) toNumbers(doubt, unclear, [1, 2, 3, 4], 10_000 + i * 4_000)
  for (let i = 0; i < 25; i++) {
    toNumbers(doubt, unclear, [1, 2], 200_000 + i * 3_000)
    toNumbers(doubt, good, [3], 202_000 + i * 3_000)
  }
  expect(doubt.isDoubted).toBe(false)
})

test('on a device of several accounts what is refused of one alone, numbers that it took lately too, does not slow it down', () => {
  const doubt = new FaultDetector(300_000)
  const barred = {
    kind: 'refused',
    lasts: 'now',
    code: 'network_rejected',
    mayBeRecipient: true,
  } as unknown as Outcome
  const numbers = Array.from({ length: 8 }, (_, i) => `+4915112345${i}`)
  const message = (to: string) => ({ accountId: 'acc_a', to, isShared: true })
  for (const to of numbers) doubt.record({ kind: 'accepted' } as unknown as Outcome, 1_000, message(to))
  for (const to of numbers) expect(doubt.record(barred, 2_000, message(to))).toBe(null)
  expect(doubt.isDoubted).toBe(false)
})

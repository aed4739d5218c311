import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandStatus } from '../../src/smpp/codec/pdu.ts'
import {
  defaultReconnectPolicy,
  reconnectWaitMs,
} from '../../src/connectors/smpp/session/reconnect-policy.ts'
import type { SessionEnd } from '../../src/connectors/smpp/session/session-events.ts'

const lost: SessionEnd = { kind: 'connection_lost', detail: 'reset' }
const refusedWith = (status: number): SessionEnd => ({ kind: 'bind_refused', status, detail: 'no' })
const waitMs = (end: SessionEnd, failures: number, random = 1): number =>
  reconnectWaitMs(defaultReconnectPolicy, end, failures, random)

test('a lost session is made again within a second; failures in a row double that, up to a minute', () => {
  expect([0, 1, 2, 3, 6, 7, 500].map((failures) => waitMs(lost, failures))).toEqual([
    1_000, 2_000, 4_000, 8_000, 60_000, 60_000, 60_000,
  ])
})

test('the wait is drawn from its whole span, so that links do not come back together', () => {
  expect(waitMs(lost, 3, 0)).toBe(0)
  expect(waitMs(lost, 3, 0.5)).toBe(4_000)
})

test('a refusal that only people can mend is not hammered: half a minute at least, a quarter of an hour in the end', () => {
  const statuses = [commandStatus.ESME_RINVPASWD, commandStatus.ESME_RINVSYSID, commandStatus.ESME_RBINDFAIL]
  const property = fc.property(
    fc.constantFrom(...statuses),
    fc.nat(100),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (status, failures, random) => {
      const ms = waitMs(refusedWith(status), failures, random)
      expect(ms).toBeGreaterThanOrEqual(30_000)
      expect(ms).toBeLessThanOrEqual(900_000)
    },
  )
  fc.assert(property)
  expect(waitMs(refusedWith(commandStatus.ESME_RINVPASWD), 10, 1)).toBe(900_000)
})

test('a peer that thinks us still bound is given the time to find out, always the same', () => {
  const alreadyBound = refusedWith(commandStatus.ESME_RALYBND)
  expect([0, 1, 5].map((failures) => waitMs(alreadyBound, failures))).toEqual([15_000, 15_000, 15_000])
  expect(waitMs(alreadyBound, 0, 0)).toBe(7_500)
})

test.for([
  ['a lost session', lost],
  ['a refusal that only people can mend', refusedWith(commandStatus.ESME_RINVPASWD)],
  ['a peer that thinks us still bound', refusedWith(commandStatus.ESME_RALYBND)],
] as const)('no try comes sooner than the least wait that was set: %s', ([, end]) => {
  const patient = { ...defaultReconnectPolicy, minMs: 40_000 }
  expect(reconnectWaitMs(patient, end, 0, 0)).toBe(40_000)
  expect(reconnectWaitMs({ ...patient, minMs: 10 }, lost, 3, 0.5)).toBe(4_000)
})

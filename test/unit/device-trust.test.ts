import { expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { DeviceTrust } from '../../src/dispatch/trust/device-trust.ts'
import { createLog } from '../../src/process/log.ts'
import { createStubClock } from '../stub-clock.ts'

const unknown: Outcome = { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no answer' }
const facts = { id: 'dev_1', name: 'One', accountId: null }

test('next to a healthy device it may hold what is left of five faults, and never less than nothing', () => {
  const log = createLog('silent', { write: () => undefined })
  const trust = new DeviceTrust({ clock: createStubClock(), log, breakerRestMs: 300_000 })
  const mayHold = Array.from({ length: 7 }, () => {
    const { maxWithOthers } = trust
    trust.record(unknown, facts)
    return maxWithOthers
  })
  expect(mayHold).toEqual([5, 4, 3, 2, 1, 0, 0])
  trust.record({ kind: 'accepted', networkIds: ['n'], receiptExpected: true }, facts)
  expect(trust.maxWithOthers).toBe(5)
})

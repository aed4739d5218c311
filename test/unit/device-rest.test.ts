import { expect, test } from 'vitest'
import type { Link, Outcome, Pull } from '../../src/connectors/connector.ts'
import type { DeviceFacts } from '../../src/dispatch/device-facts.ts'
import { DeviceRuntime } from '../../src/dispatch/device-runtime.ts'
import type { Log } from '../../src/log.ts'
import { createStubClock } from '../stub-clock.ts'

const facts: DeviceFacts = {
  id: 'dev_a', accountId: 'acc_a', mode: 'live', kind: 'smpp', name: 'Carrier', senders: new Set(), country: null, pace: null, isDraining: false,
} // prettier-ignore

/** A device with room for ten, of which one is handed over and ends so. Gives how many it may be given then. */
function freeAfter(outcome: Outcome, laterMs = 0): number {
  const clock = createStubClock()
  const link = {
    window: 10,
    capabilities: {},
    health: () => ({ status: 'online', reasons: [] }),
  } as unknown as Link
  const device = new DeviceRuntime({ clock, log: {} as Log, breakerRestMs: 0 }, facts, link)
  device.opened(1)
  device.closed(outcome)
  void clock.advance(laterMs)
  return device.candidate().free
}

const busy: Outcome = {
  kind: 'refused',
  lasts: 'busy',
  code: 'network_congested',
  networkCode: 'ESME_RMSGQFUL',
}

test('a device that is throttled or away rests for a second, and then takes as much as before', () => {
  for (const outcome of [busy, { kind: 'unavailable', detail: 'gone' } as const])
    expect([freeAfter(outcome), freeAfter(outcome, 999), freeAfter(outcome, 1_000)]).toEqual([0, 0, 10])
})

/** A device that has had 20 hand-overs without an answer and has rested. */
function deviceOnTrial(link: object): DeviceRuntime {
  const clock = createStubClock()
  const log = { error: () => undefined, warn: () => undefined } as unknown as Log
  const whole = {
    window: 10,
    capabilities: {},
    health: () => ({ status: 'online', reasons: [] }),
    ...link,
  } as unknown as Link | Pull
  const device = new DeviceRuntime({ clock, log, breakerRestMs: 60_000 }, facts, whole)
  for (let i = 0; i < 20; i++)
    device.heard({ kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no answer' })
  void clock.advance(60_000)
  return device
}

test('a device on trial is tried while it holds a half that waits for its rest, and not while one is under way', () => {
  const device = deviceOnTrial({ waiting: 1 })
  device.opened(2)
  expect(device.candidate().free).toBe(1)
  device.opened(1)
  expect(device.candidate().free).toBe(0)
})

test('what a phone has told the end of while that was being counted is not waited for', () => {
  const phone = deviceOnTrial({ wake: () => undefined, sims: { simOf: new Map(), turns: [] } })
  const offer = { attemptId: 'att_a', waitsForMs: 600_000 }
  phone.fetched({ ...offer, sim: null, parts: 1 })
  expect(phone.candidate().free).toBe(0)
  phone.toldOf('att_a', { kind: 'accepted', networkIds: [], receiptExpected: true })
  phone.countedUntold([offer])
  expect(phone.candidate().free).toBe(1)
})

test('a recipient who takes nothing costs the others of the device nothing', () => {
  expect(freeAfter({ ...busy, recipientAlone: true })).toBe(10)
})

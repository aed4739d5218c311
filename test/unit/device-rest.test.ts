import { expect, test } from 'vitest'
import type { Link, Outcome, Pull } from '../../src/connectors/connector.ts'
import type { DeviceFacts } from '../../src/dispatch/configuration/device-facts.ts'
import { RemoteDevices } from '../../src/dispatch/devices/remote-devices.ts'
import { DeviceRuntime } from '../../src/dispatch/devices/device-runtime.ts'
import { createLog, type Log } from '../../src/process/log.ts'
import type { Db } from '../../src/storage/seam/dialect.ts'
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
  device.claimed(1)
  device.finished(outcome)
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
    device.record({ kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no answer' })
  void clock.advance(60_000)
  return device
}

test('a device on trial is tried while it holds a half that waits for its rest, and not while one is under way', () => {
  const device = deviceOnTrial({ waiting: 1 })
  device.claimed(2)
  expect(device.candidate().free).toBe(1)
  device.claimed(1)
  expect(device.candidate().free).toBe(0)
})

test('what a phone has told the end of while that was being counted is not waited for', () => {
  const phone = deviceOnTrial({ wake: () => undefined, sims: { simOf: new Map(), turns: [] } })
  const offer = { attemptId: 'att_a', waitsForMs: 600_000 }
  phone.fetched({ ...offer, sim: null, parts: 1 })
  expect(phone.candidate().free).toBe(0)
  phone.recordReport('att_a', { kind: 'accepted', networkIds: [], receiptExpected: true })
  phone.countedUnreported([offer])
  expect(phone.candidate().free).toBe(1)
})

test('a recipient who takes nothing costs the others of the device nothing', () => {
  expect(freeAfter({ ...busy, recipientAlone: true })).toBe(10)
})

const well: Outcome = { kind: 'accepted', networkIds: ['1'], receiptExpected: true }
const lost: Outcome = { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no answer' }

/** A phone, with what it says of itself, and what was written of it. */
function openPhone(said: object = {}) {
  const clock = createStubClock()
  const lines: string[] = []
  const note = (_: object, line: string) => void lines.push(line)
  const link = {
    window: 100,
    capabilities: {},
    wake: () => undefined,
    sims: { simOf: new Map(), turns: [] },
    health: () => ({ status: 'online', reasons: [], link: 'stream', ...said }),
  } as unknown as Pull
  const log = { error: note, warn: note } as unknown as Log
  const device = new DeviceRuntime({ clock, log, breakerRestMs: 60_000 }, facts, link)
  let count = 0
  const give = (): string => {
    const attemptId = `att_${count++}`
    device.fetched({ attemptId, waitsForMs: 600_000, sim: null, parts: 1 })
    return attemptId
  }
  return { clock, device, lines, give, work: (outcome: Outcome) => device.recordReport(give(), outcome) }
}

test('a phone that says that it cannot send gets one message at a time where it is alone, none beside another, and is believed no more once it has sent', () => {
  const { device, give, work } = openPhone({ cannotSend: true })
  expect(device.candidate()).toMatchObject({ isDoubted: true, free: 1, freeWithOthers: 0 })
  const first = give()
  expect(device.candidate().free).toBe(0)
  // What ends offers that hang tells nobody: the database is asked.
  device.held.counted(0)
  expect(device.candidate().free).toBe(1)
  device.held.counted(1)
  device.recordReport(first, lost)
  expect(device.candidate().free).toBe(1)
  work(well)
  expect(device.candidate()).not.toHaveProperty('isDoubted')
  expect(device.candidate()).toMatchObject({ free: 100, freeWithOthers: 5 })
  work(lost)
  expect(device.candidate()).toMatchObject({ isDoubted: true, free: 1, freeWithOthers: 0 })
})

test('a phone that says that it cannot send gets nothing while it rests', () => {
  const { clock, device } = openPhone({ cannotSend: true })
  for (let i = 0; i < 20; i++) device.record(lost)
  expect(device.candidate().free).toBe(0)
  void clock.advance(60_000)
  expect(device.candidate().free).toBe(1)
})

test('beside another a phone holds five, and one that only visits as many as it has sent well in a row', () => {
  const streaming = openPhone()
  const visiting = openPhone({ link: 'poll' })
  for (const { device, work } of [streaming, visiting]) {
    expect(device.candidate().freeWithOthers).toBe(5)
    for (let i = 0; i < 20; i++) work(well)
  }
  expect(streaming.device.candidate().freeWithOthers).toBe(5)
  for (let i = 0; i < 8; i++) visiting.give()
  expect(visiting.device.candidate().freeWithOthers).toBe(12)
  for (let i = 8; i < 20; i++) visiting.give()
  expect([visiting.device.held.left, visiting.device.held.isFull]).toEqual([0, true])
  for (let i = 0; i < 20; i++) visiting.device.recordReport(`att_${20 + i}`, well)
  visiting.work(lost)
  expect(visiting.device.candidate().freeWithOthers).toBe(4)
})

test('a device is said to work again once it is used as before, and not while it is still tried', () => {
  const { clock, device, lines } = openPhone()
  for (let i = 0; i < 20; i++) device.record(lost)
  void clock.advance(60_000)
  lines.length = 0
  const saidAfter = Array.from({ length: 20 }, () => {
    device.record(well)
    return lines.length
  })
  // In doubt it is for five, given up for twenty.
  expect(saidAfter).toEqual([...Array.from({ length: 19 }, () => 0), 1])
  expect(device.candidate()).not.toHaveProperty('isDoubted')
})

test('what fails by the word of another node is in doubt here, too, as long as that word counts', () => {
  const { clock, device } = openPhone()
  const elsewhere = new RemoteDevices({
    read: {} as Db,
    clock,
    log: createLog('silent', { write: () => undefined }),
  })
  const candidate = () => elsewhere.candidateOf(device, null)
  expect(candidate()).not.toHaveProperty('isDoubted')
  const said = { deviceId: facts.id, status: 'degraded', reportedAt: clock.now() } as const
  elsewhere.apply([{ ...said, isDoubted: true }])
  expect(candidate()).toMatchObject({ isDoubted: true, free: 1, freeWithOthers: 0, health: 'online' })
  device.held.given()
  expect(candidate().free).toBe(0)
  clock.jumpWallClock(30_000)
  expect(candidate()).not.toHaveProperty('isDoubted')
})

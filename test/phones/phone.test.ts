import { expect, test } from 'vitest'
import { androidKind } from '../../src/connectors/android/android.ts'
import { deviceFaults } from '../../src/devices/device-rules.ts'
import { expectHonestHealth } from '../contracts/honest.ts'
import { createStubbedPhone, registrationOf } from './phone-fixture.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const enqueued = (names: string[]): number => names.filter((name) => name === 'MessageEnqueued').length

test('the first of a burst wakes the phone at once, the rest within 2 s and not before', async () => {
  const { phone, clock, openStream } = createStubbedPhone()
  const stream = openStream()
  for (let n = 0; n < 500; n++) phone.wake()
  expect(stream.events()).toEqual(['MessageEnqueued'])
  await clock.advance(1_999)
  expect(enqueued(stream.events())).toBe(1)
  await clock.advance(1)
  expect(enqueued(stream.events())).toBe(2)
})

test('a phone that has followed a wake-up is woken again after 1 s', async () => {
  const { phone, clock, openStream } = createStubbedPhone()
  const stream = openStream()
  phone.wake()
  phone.fetching()
  phone.wake()
  await clock.advance(999)
  expect(enqueued(stream.events())).toBe(1)
  await clock.advance(1)
  expect(enqueued(stream.events())).toBe(2)
  // This one it has not followed yet.
  phone.wake()
  await clock.advance(1_999)
  expect(enqueued(stream.events())).toBe(2)
  await clock.advance(1)
  expect(enqueued(stream.events())).toBe(3)
})

test('what a fetch has taken wakes nobody any more', async () => {
  const { phone, clock, openStream } = createStubbedPhone()
  const stream = openStream()
  phone.wake()
  phone.wake()
  phone.fetching()
  await clock.advance(minute)
  expect(enqueued(stream.events())).toBe(1)
})

test('a wake-up goes over every stream, and none of them is closed', async () => {
  const { phone, clock, openStream } = createStubbedPhone()
  const streams = [openStream(), openStream()]
  phone.wake()
  phone.fetching()
  await clock.advance(hour)
  for (const { frames, ended } of streams) {
    expect(frames).toContain('event: MessageEnqueued\ndata: null\n\n')
    expect(ended).toBe(false)
  }
})

test('an open stream is online, and its end is offline 30 s later unless the phone is heard again', async () => {
  const { phone, clock, openStream, contact } = createStubbedPhone()
  expect(phone.health()).toMatchObject({ status: 'pending', link: 'none', lastSeenAt: null })
  const stream = openStream()
  expect(phone.health()).toMatchObject({ status: 'online', link: 'stream', reasons: [] })
  expectHonestHealth(phone.health())
  stream.close()
  expect(phone.isStreaming).toBe(false)
  await clock.advance(30 * second - 1)
  expect(phone.health()).toMatchObject({ status: 'online' })
  await clock.advance(1)
  expect(phone.health()).toMatchObject({ status: 'offline', reasons: ['stream_lost'] })
  contact()
  expect(phone.health()).toMatchObject({ status: 'online', link: 'poll' })
  await clock.advance(hour)
  openStream()
  expect(phone.health()).toMatchObject({ status: 'online', link: 'stream' })
})

test('check 25: a half-open stream is found by two wake-ups that nobody answers, within 10 s each', async () => {
  const { phone, clock, openStream, changes } = createStubbedPhone()
  const stream = openStream()
  phone.wake()
  await clock.advance(10 * second)
  expect(phone.isStreaming).toBe(true)
  expect(enqueued(stream.events())).toBe(2)
  const before = changes()
  await clock.advance(10 * second)
  expect(phone.isStreaming).toBe(false)
  expect(changes()).toBeGreaterThan(before)
  expect(stream.ended).toBe(false)
  await clock.advance(30 * second)
  expect(phone.health()).toMatchObject({ status: 'offline' })
  // It was only slow: the next wake-up that it follows shows that the stream lives.
  phone.wake()
  phone.fetching()
  expect(phone.isStreaming).toBe(true)
})

test('check 25: a stream that takes no more bytes for 30 s is not counted', async () => {
  const { phone, clock, openStream } = createStubbedPhone({ probe_after_s: '0' })
  const stream = openStream()
  stream.pendingBytes = 10
  await clock.advance(44 * second)
  expect(phone.isStreaming).toBe(true)
  await clock.advance(second)
  expect(phone.isStreaming).toBe(false)
  stream.pendingBytes = 0
  await clock.advance(15 * second)
  expect(phone.isStreaming).toBe(true)
})

test('a stream that nobody reads is not filled', async () => {
  const { phone, clock, openStream } = createStubbedPhone()
  const stream = openStream()
  stream.pendingBytes = 20_000
  phone.wake()
  await clock.advance(hour)
  expect(stream.frames).toEqual([])
})

test('silence of 5 min is probed, and a phone that answers stays online', async () => {
  const { phone, clock, openStream, contact } = createStubbedPhone()
  const stream = openStream()
  await clock.advance(5 * minute - 15 * second)
  expect(stream.events()).toEqual([])
  await clock.advance(15 * second)
  expect(stream.events()).toEqual(['MessageEnqueued'])
  contact()
  phone.fetching()
  await clock.advance(4 * minute)
  expect(phone.isStreaming).toBe(true)
  expect(stream.events()).toHaveLength(1)
  // The next probes stay without an answer.
  await clock.advance(80 * second)
  expect(phone.isStreaming).toBe(false)
})

test('a stream gets a keep-alive every 15 s', async () => {
  const { clock, openStream } = createStubbedPhone()
  const stream = openStream()
  await clock.advance(minute)
  expect(stream.frames.filter((frame) => frame === ':keepalive\n\n')).toHaveLength(4)
})

test('check 25: a phone that only polls is online for 35 min, degraded for 2 h, then offline', async () => {
  const { phone, clock, contact } = createStubbedPhone()
  contact()
  expect(phone.health()).toMatchObject({ status: 'online', link: 'poll' })
  await clock.advance(35 * minute - 1)
  expect(phone.health()).toMatchObject({ status: 'online' })
  await clock.advance(1)
  expect(phone.health()).toMatchObject({ status: 'degraded', reasons: ['contact_late'], link: 'poll' })
  await clock.advance(85 * minute)
  expect(phone.health()).toMatchObject({ status: 'offline', reasons: ['no_contact'], link: 'none' })
  expectHonestHealth(phone.health())
})

test('a phone on Google push is degraded, and says so', () => {
  const { phone, contact } = createStubbedPhone({}, registrationOf({ usesPush: true }))
  contact()
  expect(phone.health()).toMatchObject({ status: 'degraded', reasons: ['push_only'], link: 'push' })
  expectHonestHealth(phone.health())
})

test('what will keep a phone from sending makes it degraded', () => {
  const { phone, openStream } = createStubbedPhone({}, registrationOf({ sims: [], appVersion: '1.53.0' }))
  openStream()
  phone.pinged({ battery: { percent: 14, charging: false }, network: null, fails: false })
  phone.heardClock('hook', phone.health().lastSeenAt! - 2 * minute)
  expect(phone.health()).toMatchObject({ status: 'degraded', reasons: ['no_sim', 'battery_low', 'clock_skew', 'app_outdated'] }) // prettier-ignore
  expectHonestHealth(phone.health())
  phone.pinged({ battery: { percent: 14, charging: true }, network: null, fails: false })
  expect(phone.health().reasons).not.toContain('battery_low')
})

test('the app is outdated before 1.53.1, and a version that nobody said is none', () => {
  for (const [appVersion, reasons] of [
    ['1.53', ['app_outdated']],
    ['1.53.1', []],
    ['1.54', []],
    [null, []],
  ] as const) {
    const { phone, openStream } = createStubbedPhone({}, registrationOf({ appVersion }))
    openStream()
    expect(phone.health().reasons, String(appVersion)).toEqual(reasons)
  }
})

test('five failures in a row, or an hour of nothing else, are repeated failures', () => {
  const { phone, openStream } = createStubbedPhone()
  openStream()
  const failed = { attemptId: 'att_1', state: 'failed', error: null } as const
  for (let n = 0; n < 4; n++) phone.reported([failed])
  expect(phone.health().status).toBe('online')
  phone.reported([failed])
  expect(phone.health().reasons).toEqual(['repeated_failures'])
  phone.reported([{ ...failed, state: 'sent' }])
  expect(phone.health().reasons).toEqual([])
  phone.pinged({ battery: null, network: null, fails: true })
  expect(phone.health().reasons).toEqual(['repeated_failures'])
})

test('what recipients or texts are to blame for is no failure of the phone', () => {
  const { phone, openStream } = createStubbedPhone()
  openStream()
  const failed = (error: string | null) => phone.reported([{ state: 'failed', error }])
  for (let n = 0; n < 4; n++) failed('Send result: RESULT_ERROR_NO_SERVICE (No service)')
  for (const error of ['TTL expired', 'Send result: RESULT_ERROR_SHORT_CODE_NOT_ALLOWED']) failed(error)
  expect(phone.health().status).toBe('online')
  failed('Send result: RESULT_NETWORK_REJECT')
  expect(phone.health().reasons).toEqual(['repeated_failures'])
  // Only what was sent can be undelivered.
  failed('Delivery result: 65')
  expect(phone.health().reasons).toEqual([])
})

test('numbers of SIMs are shown as the operator named them or as the app said them in full, never masked', () => {
  const unnamed = createStubbedPhone()
  unnamed.openStream()
  expect(unnamed.phone.health().sims).toEqual([{ slot: 1, number: null, carrier: null }])
  const { phone, openStream } = createStubbedPhone({ sim_1_number: '+4915550001234' })
  openStream()
  expect(phone.health().sims).toEqual([{ slot: 1, number: '+4915550001234', carrier: null }])
  phone.sawSims([
    { slot: 1, number: '+4915550009999', carrier: 'Telco' },
    { slot: 2, number: '+4915550002222', carrier: null },
  ])
  expect(phone.health().sims).toEqual([
    { slot: 1, number: '+4915550001234', carrier: 'Telco' },
    { slot: 2, number: '+4915550002222', carrier: null },
  ])
})

test('after a restart a phone is what it was until its silence is too long', async () => {
  const { phone, clock } = createStubbedPhone()
  const battery = { percent: 80, charging: true, at: clock.now() - hour }
  phone.remember({ link: 'poll', lastSeenAt: clock.now() - 30 * minute, appVersion: '1.67.0', battery, network: null, sims: [] })
  expect(phone.health()).toMatchObject({ status: 'online', link: 'poll', battery, appVersion: '1.67.0' })
  await clock.advance(5 * minute)
  expect(phone.health()).toMatchObject({ status: 'degraded', reasons: ['contact_late'] })
}) // prettier-ignore

test('after a restart a phone whose stream does not come back is offline, as soon as the app would have asked for it', async () => {
  const { phone, clock, contact } = createStubbedPhone()
  const known = { appVersion: '1.68.0', battery: null, network: null, sims: [] }
  phone.remember({ link: 'stream', lastSeenAt: clock.now() - minute, ...known })
  await clock.advance(90 * second - 1)
  expect(phone.health()).toMatchObject({ status: 'online', link: 'poll' })
  await clock.advance(1)
  expect(phone.health()).toMatchObject({ status: 'offline', reasons: ['stream_lost'] })
  contact()
  expect(phone.health()).toMatchObject({ status: 'online', link: 'poll' })
})

test('a restart brings back no phone that was offline', () => {
  const { phone, clock, contact } = createStubbedPhone()
  const known = { appVersion: '1.68.0', battery: null, network: null, sims: [] }
  phone.remember({ link: 'none', lastSeenAt: clock.now() - minute, ...known })
  expect(phone.health()).toMatchObject({ status: 'offline' })
  contact()
  expect(phone.health()).toMatchObject({ status: 'online' })
})

test('after a restart a phone on Google push is still one, until it says otherwise', () => {
  const { phone, clock, contact } = createStubbedPhone()
  const known = { appVersion: '1.68.0', battery: null, network: null, sims: [] }
  phone.remember({ link: 'push', lastSeenAt: clock.now() - minute, ...known })
  expect(phone.health()).toMatchObject({ status: 'degraded', reasons: ['push_only'], link: 'push' })
  contact()
  expect(phone.health()).toMatchObject({ status: 'online', link: 'poll' })
})

test('the clock of a phone is known by the youngest of what it says, within what a request may take', () => {
  const { phone, clock } = createStubbedPhone()
  phone.heardClock('state', clock.now() + 2 * hour)
  expect(phone.clockOffsetMs).toBe(2 * hour)
  phone.heardClock('hook', clock.now() - 1_500)
  expect(phone.clockOffsetMs).toBe(0)
  for (const late of [500, 30_000, 4_000]) phone.heardClock('hook', clock.now() + hour - late)
  expect(phone.clockOffsetMs).toBe(hour - 500)
})

test('a report that comes an hour late says nothing against the clock of its phone', async () => {
  const { phone, clock, openStream } = createStubbedPhone()
  openStream()
  phone.heardClock('state', clock.now() - hour)
  expect(phone.clockOffsetMs).toBe(0)
  expect(phone.health()).toMatchObject({ status: 'online', reasons: [] })
  // The first webhook is of now, and tells the clock; one from before the report is an old one.
  expect(phone.admitsHook(clock.now() - 2 * hour)).toBe(false)
  expect(phone.admitsHook(clock.now() - 5 * minute)).toBe(true)
  expect(phone.clockOffsetMs).toBe(-5 * minute)
})

test('a signed timestamp is believed near the clock of the phone, the first of all, and a clock that was set at the second time', async () => {
  const { phone, clock } = createStubbedPhone()
  const at = (offset: number): boolean => phone.admitsHook(clock.now() + offset)
  expect(at(-24 * hour)).toBe(true)
  expect(at(-24 * hour - 9 * minute)).toBe(true)
  expect(at(-24 * hour - 11 * minute)).toBe(false)
  // The clock was set right.
  const right = clock.now()
  expect(phone.admitsHook(right)).toBe(false)
  await clock.advance(5 * second)
  // The same request again is no news.
  expect(phone.admitsHook(right)).toBe(false)
  expect(phone.admitsHook(right + 5 * second)).toBe(true)
  expect(phone.clockOffsetMs).toBe(0)
  expect(at(-24 * hour)).toBe(false)
  // And set wrong again, backwards.
  await clock.advance(second)
  expect(at(-24 * hour)).toBe(true)
  expect(phone.clockOffsetMs).toBe(-24 * hour)
})

test('check 21: only an app that knows of it is told to cancel', () => {
  for (const [appVersion, heard] of [['1.67.0', true], ['1.66.9', false], [null, false]] as const) {
    const { phone, openStream } = createStubbedPhone({}, registrationOf({ appVersion }))
    const stream = openStream()
    phone.recall('att_1')
    expect(stream.frames).toEqual(heard ? ['event: MessageCancelled\ndata: {"messageId":"att_1"}\n\n'] : [])
  }
}) // prettier-ignore

test('a stopped phone lets its streams go and leaves no timer', async () => {
  const { phone, clock, openStream } = createStubbedPhone()
  const stream = openStream()
  phone.wake()
  await phone.stop()
  expect(stream.ended).toBe(true)
  expect(openStream).toThrow('stopped')
  phone.wake()
  expect(clock.waiting).toBe(0)
  expect(phone.health()).toMatchObject({ status: 'offline' })
})

test('settings are followed while the phone runs; another ping is told to the app', async () => {
  const { phone, openStream } = createStubbedPhone()
  const stream = openStream()
  expect(phone.applySettings({ page: '7', ping_interval_s: '60' })).toBe(true)
  expect(phone.window).toBe(7)
  expect(stream.events()).toEqual(['SettingsUpdated'])
})

test('each setting has a default that its check takes, and refuses nonsense', () => {
  const { settings } = androidKind
  const given = Object.fromEntries(settings.map(({ name, default: byDefault }) => [name, byDefault]))
  const rules = { settings, secretNames: [] }
  expect(deviceFaults(rules, { settings: given, secrets: {}, senders: [], pace: null })).toEqual([])
  for (const { name, check, says } of settings) {
    expect(check('nonsense'), name).toMatch(/^needs /)
    expect(check('-1'), name).toMatch(/^needs /)
    expect(says, name).toMatch(/^[A-Z].*\.$/)
  }
})

test('a phone that rests is told what to let go of and nothing else, keeps its stream, and is woken again after it', async () => {
  const { phone, clock, openStream, contact } = createStubbedPhone()
  contact()
  const stream = openStream()
  phone.rest(true)
  phone.wake()
  phone.recall('att_1')
  await clock.advance(hour)
  expect(stream.events()).toEqual(['MessageCancelled'])
  expect(stream.ended).toBe(false)
  phone.rest(false)
  phone.wake()
  expect(stream.events()).toEqual(['MessageCancelled', 'MessageEnqueued'])
  await phone.stop()
  phone.rest(false)
  phone.wake()
  expect(stream.ended).toBe(true)
  expect(phone.health()).toMatchObject({ status: 'offline' })
})

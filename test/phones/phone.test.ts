import { expect, test } from 'vitest'
import { androidKind } from '../../src/connectors/android/android.ts'
import { deviceFaults } from '../../src/devices/core/device-rules.ts'
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

test('check 21: only an app that knows of it is told to cancel', () => {
  for (const [appVersion, heard] of [
    ['1.67.0', true],
    ['1.66.9', false],
    [null, false],
  ] as const) {
    const { phone, openStream } = createStubbedPhone({}, registrationOf({ appVersion }))
    const stream = openStream()
    phone.recall('att_1')
    expect(stream.frames).toEqual(heard ? ['event: MessageCancelled\ndata: {"messageId":"att_1"}\n\n'] : [])
  }
})

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

test.each(['*', 'ACME', '12345'])(
  '%s is refused as a sender of a phone, which sends under the numbers of its SIMs',
  (sender) => {
    const given = { settings: {}, secrets: {}, pace: null }
    expect(deviceFaults(androidKind, { ...given, senders: [sender] })).toMatchObject([
      { pointer: '/senders' },
    ])
    expect(deviceFaults(androidKind, { ...given, senders: ['+4915112345678'] })).toEqual([])
    expect(createStubbedPhone().phone.capabilities.alphanumericSender).toBe(false)
  },
)

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

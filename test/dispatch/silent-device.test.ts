import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { openMessagesFixture, type MessagesFixture } from '../messages-fixture.ts'
import { scriptedKind } from './scripted-kind.ts'

let submitted = 0
let maxAtOnce = 0
let openNow = 0
let answers = false
let keepsSettings = true

/** A link with a window of 5 that answers, or does not. */
const kind = scriptedKind({
  window: 5,
  applySettings: () => keepsSettings,
  async submit({ attemptId }): Promise<Outcome> {
    submitted += 1
    openNow += 1
    maxAtOnce = Math.max(maxAtOnce, openNow)
    await new Promise((resolve) => setImmediate(resolve))
    openNow -= 1
    return answers
      ? { kind: 'accepted', networkIds: [attemptId], receiptExpected: true }
      : { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no answer in time' }
  },
})

/** An hour of pauses passes: a drain looks for work itself. */
const seldom = { pollIntervalMs: 60_000 }

let house: MessagesFixture
beforeEach(async () => {
  submitted = 0
  answers = false
  keepsSettings = true
  house = await openMessagesFixture(kind, seldom)
  await house.addAccount('acc_a', 1_000)
  await house.addDevice('dev_s')
})
afterEach(() => house.close())

async function send(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await house.send()
  await house.dispatcher.drain()
}
const device = (id = 'dev_s') => house.pool.get(id)

/** A device that fails is given one message at a time after the fifth, with ever longer pauses: that goes on until it is given up. */
async function untilGivenUp(id = 'dev_s'): Promise<void> {
  for (let pauses = 0; pauses < 20 && device(id)?.health.status !== 'offline'; pauses++) {
    await house.clock.advance(Math.min(10_000 * 2 ** pauses, 300_000))
    await house.dispatcher.drain()
  }
}

/** Twenty in a row were unknown; what was claimed by then had left, and that is less than a window. */
function expectClosed(): void {
  expect(submitted).toBeGreaterThanOrEqual(20)
  expect(submitted).toBeLessThan(20 + 5)
}

async function changeDevice(): Promise<void> {
  await house.storage.writer.write(async (tx) => {
    await tx
      .updateTable('devices')
      .set((eb) => ({ updated_at: eb('updated_at', '+', 1) }))
      .execute()
    await touchDirectory(tx)
  })
  await house.pool.reloadIfChanged()
}

test('a link that stopped answering gets nothing more, says why, and what waits stays queued', async () => {
  await send(60)
  await untilGivenUp()
  expectClosed()
  expect(device()?.health).toMatchObject({ status: 'offline', reasons: ['repeated_unknown'] })
  const statuses = await house.statuses()
  expect(statuses.filter((status) => status === 'queued')).toHaveLength(60 - submitted)
  await house.clock.advance(299_000)
  await house.dispatcher.drain()
  expect(statuses).toEqual(await house.statuses())
})

test('after its rest it is tried with one message at a time, and used as before once it has answered 20', async () => {
  await send(40)
  await untilGivenUp()
  expectClosed()
  const before = submitted
  await send(20 - (40 - before))
  answers = true
  maxAtOnce = 0
  await house.clock.advance(300_000)
  expect(device()?.health).toMatchObject({ status: 'degraded', reasons: ['repeated_unknown'] })
  await house.dispatcher.drain()
  expect({ submitted, maxAtOnce }).toEqual({ submitted: before + 20, maxAtOnce: 1 })
  expect(device()?.health).toMatchObject({ status: 'online', reasons: [] })
  await house.send({ to: Array.from({ length: 20 }, (_, i) => `+49151${20_000_000 + i}`) })
  await house.dispatcher.drain()
  expect({ submitted, maxAtOnce }).toEqual({ submitted: before + 40, maxAtOnce: 5 })
})

test('while it does not answer it costs one message for each rest', async () => {
  await send(40)
  await untilGivenUp()
  const before = submitted
  for (let i = 1; i <= 3; i++) {
    await house.clock.advance(300_000)
    await house.dispatcher.drain()
    expect(submitted).toBe(before + i)
    expect(device()?.health.status).toBe('offline')
  }
})

test.for([
  ['running', true],
  ['new', false],
] as const)('a change of the device closes it, whether its link stays the %s one', async ([, keeps]) => {
  keepsSettings = keeps
  await send(60)
  await untilGivenUp()
  answers = true
  await changeDevice()
  await house.dispatcher.drain()
  expect(submitted).toBe(60)
  expect(device()?.health).toMatchObject({ status: 'online', reasons: [] })
})

test('a link that does not answer now and then is used on', async () => {
  for (let i = 0; i < 10; i++) {
    answers = false
    await send(3)
    answers = true
    await send(4)
  }
  expect(submitted).toBe(70)
  expect(device()?.health).toMatchObject({ status: 'online', reasons: [] })
})

test('while the own link rests, its messages go over a shared one', async () => {
  await house.close()
  house = await openMessagesFixture(kind, seldom)
  await house.addAccount('acc_a', 1_000)
  await house.addDevice('dev_own', { accountId: 'acc_a' })
  await send(30)
  await untilGivenUp('dev_own')
  expect(device('dev_own')?.health.status).toBe('offline')
  const unanswered = submitted
  answers = true
  await house.addDevice('dev_shared')
  await house.dispatcher.drain()
  const statuses = await house.statuses()
  expect(statuses.filter((status) => status === 'sent')).toHaveLength(30 - unanswered)
  expect(statuses).not.toContain('queued')
})

test('a lone link that fails gets five messages, then one at a time behind pauses that double, and is used as before once five went well', async () => {
  await send(40)
  const lost = submitted
  expect(lost).toBeGreaterThanOrEqual(5)
  expect(lost).toBeLessThan(5 + 5)
  expect(device()?.health).toMatchObject({ status: 'degraded', reasons: ['repeated_failures'] })
  const given: number[] = []
  for (const pauseMs of [9_999, 1, 19_999, 1, 39_999, 1]) {
    await house.clock.advance(pauseMs)
    await house.dispatcher.drain()
    given.push(submitted - lost)
  }
  expect(given).toEqual([0, 1, 1, 2, 2, 3])
  answers = true
  maxAtOnce = 0
  await house.clock.advance(79_999)
  await house.dispatcher.drain()
  expect(submitted).toBe(lost + 3)
  await house.clock.advance(1)
  for (let good = 0; good < 5; good++) {
    expect(device()?.health.reasons).toEqual(['repeated_failures'])
    if (good < 4) await house.clock.advance(0)
  }
  await house.dispatcher.drain()
  expect(submitted).toBe(40)
  expect(device()?.health).toMatchObject({ status: 'online', reasons: [] })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NowAnswer, TrafficAnswer } from '../../src/api/console/messages/overview-calls.ts'
import { startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole()
})
afterAll(() => house.stop())

const inTest = { mode: 'test' } as const

async function send(to: string): Promise<void> {
  const { status } = await house.client.send(house.ada.testKey, { to, text: 'Hello' })
  expect(status).toBe(202)
}

async function traffic(range: string, options: object = inTest): Promise<TrafficAnswer> {
  const { status, body } = await house.ada.read('overview/traffic', { range }, options)
  expect(status).toBe(200)
  return body as TrafficAnswer
}

const total = ({ bars }: TrafficAnswer, of: 'accepted' | 'delivered' | 'failed' | 'waiting'): number =>
  bars.reduce((sum, bar) => sum + bar[of], 0)

describe('the overview', () => {
  test('of an account without messages says so', async () => {
    const now = (await house.bob.read('overview/now', {}, inTest)).body as NowAnswer
    expect(now).toMatchObject({ hasMessages: false, queue: { messages: 0, parts: 0, oldestAtMs: null } })
    expect(now.pace).toEqual({ perDay: null, days: 0, daysLeft: null })
  })

  test('counts what became of messages, and how long it took, in every range', async () => {
    for (const to of ['+15005550006', '+4915112345678', '+15005550006']) await send(to)
    await expect.poll(async () => total(await traffic('1h'), 'delivered'), { timeout: 10_000 }).toBe(3)
    for (const [range, bars] of [
      ['1h', 12],
      ['6h', 24],
      ['24h', 24],
      ['7d', 28],
      ['30d', 30],
      ['90d', 90],
    ] as const) {
      const answer = await traffic(range)
      expect(answer.bars).toHaveLength(bars)
      expect(answer.usual).toEqual(Array.from({ length: bars }, () => 0))
      expect([total(answer, 'accepted'), total(answer, 'delivered'), total(answer, 'waiting')]).toEqual([
        3, 3, 0,
      ])
      expect([answer.toSent.messages, answer.toDelivered.messages]).toEqual([3, 3])
      expect(answer.toDelivered.medianMs).toBeGreaterThanOrEqual(250)
      expect(answer.bars.at(-1)?.atMs).toBe(answer.toMs - answer.barMs)
    }
  })

  test('has nothing of the other mode', async () => {
    expect(total(await traffic('1h', {}), 'accepted')).toBe(0)
  })

  test('tells of balance, queue and devices as they stand', async () => {
    const now = (await house.ada.read('overview/now', {}, inTest)).body as NowAnswer
    expect(now.hasMessages).toBe(true)
    expect(now.balance.available).toBeGreaterThan(0)
    // Shared devices keep their names to themselves.
    expect(now.devices[0]).toMatchObject({ shared: true, name: null, status: 'online' })
  })

  test('refuses a range that it does not know', async () => {
    const { status } = await house.ada.read('overview/traffic', { range: '2d' }, inTest)
    expect(status).toBe(422)
  })
})

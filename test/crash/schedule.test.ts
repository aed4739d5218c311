import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { type CrashHouse, openCrashHouse } from './crash-house.ts'
import { canMoveClocks, clockLookMs, openWallClock } from './wall-clock.ts'

describe.skipIf(!canMoveClocks)('a message that is scheduled for tomorrow', () => {
  test('survives three restarts, jumps of the clock and the hour that comes twice, and goes within 2 s of its time; one canceled a moment before does not', async () => {
    const clock = await openWallClock()
    clock.jumpTo('2026-10-24T10:00:00Z')
    const house = await openCrashHouse({ window: '20' }, undefined, clock.env)
    try {
      // The second half past two of that night.
      const sendAt = Date.parse('2026-10-25T02:30:00+01:00')
      const body = { text: 'See you', send_at: '2026-10-25T02:30:00+01:00' }
      const [going, canceled] = await Promise.all(
        ['+4915112345678', '+4915112345679'].map(async (to) => {
          const answer = await house.client.send(house.liveKey, { ...body, to })
          expect(answer.body.messages[0]).toMatchObject({ status: 'scheduled' })
          return answer.body.messages[0]?.id as string
        }),
      )
      const isScheduled = async () => {
        // What is due is looked at each half second.
        await wait(clockLookMs + 1_000)
        expect(await house.countOf('scheduled')).toBe(2)
        expect(house.peer.records()).toEqual([])
      }
      await house.server.kill('SIGKILL')
      await house.restart()
      await isScheduled()
      clock.jumpTo('2026-10-24T21:00:00Z')
      await house.server.stop()
      await house.restart()
      clock.jumpTo('2026-10-23T08:00:00Z')
      await isScheduled()
      // The first half past two.
      clock.jumpTo('2026-10-25T00:29:59Z')
      await isScheduled()
      await house.server.kill('SIGKILL')
      await house.restart()
      clock.jumpTo('2026-10-25T01:29:54Z')
      await isScheduled()
      await cancelOne(house, canceled!)
      const sent = await eventually(
        async () => (await house.client.history(house.liveKey, `id=${going}`))[0]!,
        (message) => expect(['sent', 'delivered']).toContain(message.status),
        20_000,
      )
      const handedOver = Date.parse(sent.sent_at!) - sendAt
      expect(handedOver).toBeGreaterThanOrEqual(0)
      expect(handedOver).toBeLessThanOrEqual(2_000)
      await wait(1_000)
      expect(house.peer.records().map(({ to }) => to)).toEqual(['+4915112345678'])
      expect(await house.countOf('canceled')).toBe(1)
      await house.drained()
      await house.expectSound()
    } finally {
      await house.close()
      await clock.close()
    }
  })
})

async function cancelOne(house: CrashHouse, messageId: string): Promise<void> {
  expect(
    await house.onesixty('message', 'cancel', '--account', house.accountId, '--message', messageId),
  ).toMatchObject({ ok: true })
}

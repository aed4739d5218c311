import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { type CrashHouse, openCrashHouse } from './crash-house.ts'
import { canMoveClocks, openWallClock, type WallClock } from './wall-clock.ts'

const recipients = ['+4915112345678', '+4915112345679'] as const

describe.skipIf(!canMoveClocks)('a message that is scheduled for tomorrow', () => {
  test('survives three restarts, jumps of the clock and the hour that comes twice, and goes within 2 s of its time; one canceled a moment before does not', async () => {
    const clock = await openWallClock()
    clock.jumpTo('2026-10-24T10:00:00Z')
    const house = await openCrashHouse({ window: '20' }, { env: clock.env })
    try {
      // The second half past two of that night.
      const sendAt = Date.parse('2026-10-25T02:30:00+01:00')
      const body = { text: 'See you', send_at: '2026-10-25T02:30:00+01:00' }
      const [going, canceled] = await Promise.all(
        recipients.map(async (to) => {
          const answer = await house.client.send(house.liveKey, { ...body, to })
          expect(answer.body.messages[0]).toMatchObject({ status: 'scheduled' })
          return answer.body.messages[0]?.id as string
        }),
      )
      const isScheduled = async () => {
        await whatIsDueGoes(house, clock)
        expect(await house.countOf('scheduled')).toBe(2)
        expect(submitted(house)).toEqual([])
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
      clock.jumpTo('2026-10-25T00:30:00Z')
      await isScheduled()
      await house.server.kill('SIGKILL')
      await house.restart()
      clock.jumpTo('2026-10-25T01:29:00Z')
      await isScheduled()
      await cancelOne(house, canceled!)
      clock.jumpTo('2026-10-25T01:29:58Z')
      const sent = await eventually(
        async () => (await house.client.history(house.liveKey, `id=${going}`))[0]!,
        (message) => expect(['sent', 'delivered']).toContain(message.status),
        20_000,
      )
      const afterMs = Date.parse(sent.sent_at!) - sendAt
      expect(afterMs).toBeGreaterThanOrEqual(0)
      expect(afterMs).toBeLessThanOrEqual(2_000)
      await whatIsDueGoes(house, clock)
      expect(submitted(house)).toEqual([recipients[0]])
      expect(await house.countOf('canceled')).toBe(1)
      await house.drained()
      await house.expectSound()
    } finally {
      await house.close()
      await clock.close()
    }
  })
})

/** Of the two that wait, those that were handed over. */
const submitted = (house: CrashHouse): string[] =>
  house.peer.records().flatMap(({ to }) => ((recipients as readonly string[]).includes(to) ? [to] : []))

let others = 0

/** Settles when another message went that was scheduled for a moment from now: what is due was looked for since, by the clock as it is. */
async function whatIsDueGoes(house: CrashHouse, clock: WallClock): Promise<void> {
  let to = ''
  let aheadMs = 300
  const schedule = async (): Promise<string | undefined> => {
    to = `+4915122${String(others++).padStart(6, '0')}`
    const send_at = new Date(clock.now() + aheadMs).toISOString()
    aheadMs *= 2
    const { body } = await house.client.send(house.liveKey, { to, text: 'Another', send_at })
    return body.messages[0]?.status
  }
  // One that was due when it was accepted, on a slow machine, waited for nothing.
  await eventually(schedule, (status) => expect(status).toBe('scheduled'), 20_000)
  await eventually(
    () => house.peer.records().map((record) => record.to),
    (seen) => expect(seen).toContain(to),
    20_000,
  )
}

async function cancelOne(house: CrashHouse, messageId: string): Promise<void> {
  expect(
    await house.onesixty('message', 'cancel', '--account', house.accountId, '--message', messageId),
  ).toMatchObject({ ok: true })
}

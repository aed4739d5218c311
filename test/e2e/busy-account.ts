import { dayMs, utcDay } from '../../src/clock.ts'
import { insertRows } from '../../src/storage/sets.ts'
import type { TestApp } from '../harness.ts'

const hourMs = 3_600_000
const days = 98

/** What 98 days of work leave behind in live mode: counts and times of each hour, use of each day, a top-up each month. */
export async function giveHistory({ app }: TestApp, accountId: string): Promise<void> {
  const nowMs = Date.now()
  const wallet = { account_id: accountId, mode: 'live' } as const
  const hours = Array.from({ length: days * 24 }, (_, i) => {
    const bucket = nowMs - (nowMs % hourMs) - i * hourMs
    const hourOfDay = (bucket / hourMs) % 24
    const accepted = Math.round(40 + 35 * Math.sin((hourOfDay / 24) * 2 * Math.PI - 2) + (i % 7))
    const failed = i % 29 === 3 ? Math.round(accepted / 4) : 0
    const sent = Math.round(accepted / 10)
    const undelivered = i % 5
    const waiting = i === 0 ? 6 : 0
    const delivered = accepted - failed - sent - undelivered - waiting
    return { bucket, accepted, failed, sent, undelivered, delivered }
  })
  const usage = Array.from({ length: days }, (_, i) => ({
    ...wallet,
    day: utcDay(nowMs) - i,
    parts: 700 + ((i * 37) % 300),
  }))
  const used = usage.reduce((sum, { parts }) => sum + parts, 0)
  const place = (bucket: number, measure: 'to_sent' | 'to_delivered', step: number, messages: number) =>
    ({ ...wallet, grain: 'hour', bucket, measure, step, messages }) as const
  await app.storage.writer.write(async (tx) => {
    await insertRows(tx, 'traffic', hours.map((hour) => ({ ...wallet, grain: 'hour', ...hour }))) // prettier-ignore
    await insertRows(
      tx,
      'traffic_times',
      hours.flatMap(({ bucket, delivered }) => [
        place(bucket, 'to_sent', 4, 30),
        place(bucket, 'to_sent', 6, 5),
        place(bucket, 'to_delivered', 9, Math.max(1, delivered - 3)),
        place(bucket, 'to_delivered', 18, 3),
      ]),
    )
    await insertRows(tx, 'usage_days', usage)
    await insertRows(tx, 'ledger_entries', [
      { ...wallet, id: `led_${'0'.repeat(26)}`, kind: 'top_up', sms: used + 20_000, note: 'Invoice 2026-07.', actor: 'cli', created_at: nowMs - days * dayMs },
    ]) // prettier-ignore
    await tx
      .updateTable('wallets')
      .set({ granted: used + 20_010, used, reserved: 6 })
      .where('account_id', '=', accountId)
      .where('mode', '=', 'live')
      .execute()
  })
}

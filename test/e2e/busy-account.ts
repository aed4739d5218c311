import { dayMs, utcDay } from '../../src/runtime/clock.ts'
import { grainMs } from '../../src/messages/core/traffic.ts'
import { addToRows, insertRows } from '../../src/storage/seam/sets.ts'
import type { TestApp } from '../harness.ts'

const hourMs = 3_600_000
const days = 98

/** What 98 days of work leave behind in live mode: counts and times, use of each day, a top-up. */
export async function giveHistory({ app }: TestApp, accountId: string): Promise<void> {
  const nowMs = Date.now()
  const wallet = { account_id: accountId, mode: 'live' } as const
  const hours = Array.from({ length: days * 24 }, (_, i) => {
    const bucket = nowMs - (nowMs % hourMs) - i * hourMs
    const hourOfDay = (bucket / hourMs) % 24
    // At least 15, so that whatever the hour of the test something of it was delivered.
    const accepted = Math.round(50 + 35 * Math.sin((hourOfDay / 24) * 2 * Math.PI - 2) + (i % 7))
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
  const key = ['account_id', 'mode', 'grain', 'bucket'] as const
  const amounts = ['accepted', 'failed', 'sent', 'undelivered', 'delivered'] as const
  await app.storage.writer.write(async (tx) => {
    for (const grain of ['minutes5', 'hours6'] as const) {
      const rows = hours
        .slice(0, grain === 'minutes5' ? 8 * 24 : hours.length)
        .map(({ bucket, ...counts }) => ({
          ...wallet,
          grain,
          bucket: bucket - (bucket % grainMs[grain]),
          ...counts,
        }))
      await addToRows(tx, 'traffic', { key, amounts }, rows)
      const times = rows.flatMap(({ bucket, delivered }) => {
        const of = (measure: 'to_sent' | 'to_delivered', step: number, messages: number) =>
          ({ ...wallet, grain, bucket, measure, step, messages }) as const
        return [
          of('to_sent', 4, 30),
          of('to_sent', 6, 5),
          of('to_delivered', 9, Math.max(1, delivered - 3)),
          of('to_delivered', 18, 3),
        ]
      })
      await addToRows(tx, 'traffic_times', { key: [...key, 'measure', 'step'], amounts: ['messages'] }, times)
    }
    await insertRows(tx, 'usage_days', usage)
    await insertRows(tx, 'ledger_entries', [
      {
        ...wallet,
        id: `led_${'0'.repeat(26)}`,
        kind: 'top_up',
        sms: used + 20_000,
        note: 'Invoice 2026-07.',
        actor: 'cli',
        created_at: nowMs - days * dayMs,
      },
    ])
    await tx
      .updateTable('wallets')
      .set({ granted: used + 20_010, used, reserved: 6 })
      .where('account_id', '=', accountId)
      .where('mode', '=', 'live')
      .execute()
  })
}

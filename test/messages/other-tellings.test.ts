import { expect, onTestFinished, test } from 'vitest'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openKeywordHouse } from './keyword-house.ts'

test('of more tellings of one text than a hundred that wait for their other ones a hundred are looked at, and each still has one', async () => {
  const { house, hear, close } = await openKeywordHouse()
  onTestFinished(close)
  const kept = Array.from({ length: 130 }, (_, i) => `dateless/${String(i).padStart(3, '0')}`)
  const seen = kept.map((fingerprint, i) => ({ device_id: 'dev_s', fingerprint, received_at: house.clock.now() - i }))
  await house.store.writer.write((tx) => insertRows(tx, 'inbound_seen', seen))
  const waiting = async () => {
    const rows = await house.store.db.selectFrom('inbound_seen').select('fingerprint').where('fingerprint', 'like', 'dateless/%').execute()
    return new Set(rows.map(({ fingerprint }) => fingerprint))
  }
  const tell = (i: number) => hear('Yes', { fingerprint: `dated ${i}`, toldOtherwise: { keeps: [], looksFor: ['none', 'other/', 'dateless/'] } })
  await tell(0)
  // The oldest of those that were looked at; that at the end is older.
  expect([(await waiting()).has('dateless/099'), (await waiting()).has('dateless/129')]).toEqual([false, true])
  for (let i = 1; i < 131; i++) await tell(i)
  expect((await waiting()).size).toBe(0)
  const received = await house.store.db.selectFrom('messages').select('id').where('direction', '=', 'inbound').execute()
  expect(received).toHaveLength(1)
}) // prettier-ignore

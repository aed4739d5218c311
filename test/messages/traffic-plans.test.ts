import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { windowOf } from '../../src/api/console/overview-range.ts'
import { readBars, readTimes } from '../../src/messages/read-traffic.ts'
import { databaseFile } from '../../src/storage/database.ts'
import { openTendedHouse, type TendedHouse } from './tended-house.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
})
afterEach(() => house.close())

const sixHours = 4 * 97

/** 97 days of an account that is never quiet, beside another one. */
async function fill(): Promise<void> {
  const lastMs = house.clock.now() - (house.clock.now() % 21_600_000)
  const hour = sql`with recursive n (i) as (select 0 union all select i + 1 from n where i < ${sixHours - 1}), a (id) as (values ('acc_a'), ('acc_b'))`
  await house.storage.writer.write(async (tx) => {
    await sql`${hour} insert into traffic (account_id, mode, grain, bucket, accepted, delivered)
      select a.id, 'live', 'hours6', ${lastMs} - i * 21600000, 100, 90 from n, a where true`.execute(tx)
    await sql`${hour}, s (step) as (values (0), (3), (4), (5), (6), (7), (8), (20)), m (measure) as (values ('to_sent'), ('to_delivered'))
      insert into traffic_times select a.id, 'live', 'hours6', ${lastMs} - i * 21600000, measure, step, 10 from n, a, s, m where true`.execute(
      tx,
    )
  })
}

test.for(['fresh', 'analysed'])(
  'a range is read as a range of the primary key, however much there is, on %s tables',
  async (state) => {
    await fill()
    if (state === 'analysed') await house.storage.writer.write((tx) => sql`analyze`.execute(tx))
    const { read } = house.storage
    const executed = vi.spyOn(read.getExecutor(), 'executeQuery')
    const window = { accountId: 'acc_a', mode: 'live', ...windowOf('90d', house.clock.now()) } as const
    const bars = await readBars(read, window)
    const times = await readTimes(read, window)
    const statements = executed.mock.calls.map(([statement]) => statement)
    executed.mockRestore()
    expect(bars).toHaveLength(90)
    expect(bars.slice(0, -1).map(({ accepted, waiting }) => [accepted, waiting])).toEqual(
      Array.from({ length: 89 }, () => [400, 40]),
    )
    expect(times.to_sent.messages).toBeGreaterThan(89 * 4 * 60)
    const database = new DatabaseSync(databaseFile(house.dataFolder), { readOnly: true })
    expect(statements).toHaveLength(2)
    for (const { sql: text, parameters } of statements) {
      const plan = database.prepare(`explain query plan ${text}`).all(...(parameters as string[]))
      expect(String(plan[0]?.['detail'])).toMatch(
        /^SEARCH traffic\w* USING PRIMARY KEY \(account_id=\? AND mode=\? AND grain=\? AND bucket>\? AND bucket<\?\)$/,
      )
      expect(plan.filter((step) => String(step['detail']).startsWith('SCAN'))).toEqual([])
    }
    database.close()
  },
)

import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { windowOf } from '../../src/api/console/messages/overview-range.ts'
import { readBars, readTimes } from '../../src/messages/history/read-traffic.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
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
      select a.id, 'live', 'hours6', cast(${lastMs} as bigint) - i * cast(21600000 as bigint), 100, 90 from n, a where true`.execute(
      tx,
    )
    await sql`${hour}, s (step) as (values (0), (3), (4), (5), (6), (7), (8), (20)), m (measure) as (values ('to_sent'), ('to_delivered'))
      insert into traffic_times select a.id, 'live', 'hours6', cast(${lastMs} as bigint) - i * cast(21600000 as bigint), measure, step, 10 from n, a, s, m where true`.execute(
      tx,
    )
  })
}

const search = isPostgres
  ? /^SEARCH traffic\w* BY traffic\w*_pkey \(account_id= mode= grain= bucket>= bucket<\)$/
  : /^SEARCH traffic\w* USING PRIMARY KEY \(account_id=\? AND mode=\? AND grain=\? AND bucket>\? AND bucket<\?\)$/

test.for(['fresh', 'analysed'])(
  'a range is read as a range of the primary key, however much there is, on %s tables',
  async (state) => {
    await fill()
    if (state === 'analysed') await house.storage.writer.write(analyse)
    const { read } = house.storage
    const window = { accountId: 'acc_a', mode: 'live', ...windowOf('90d', house.clock.now()) } as const
    let bars: Awaited<ReturnType<typeof readBars>> = []
    let toSent = 0
    const statements = await statementsOf(read, async () => {
      bars = await readBars(read, window)
      toSent = (await readTimes(read, window)).to_sent.messages
    })
    expect(bars).toHaveLength(90)
    expect(bars.slice(0, -1).map(({ accepted, waiting }) => [accepted, waiting])).toEqual(
      Array.from({ length: 89 }, () => [400, 40]),
    )
    expect(toSent).toBeGreaterThan(89 * 4 * 60)
    expect(statements).toHaveLength(2)
    for (const statement of statements) {
      const plan = await stepsOf(house.dataFolder, statement)
      expect(plan.find((step) => !step.startsWith('SORT '))).toMatch(search)
      expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([])
    }
  },
)

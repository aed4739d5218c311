import { afterEach, beforeEach, expect, test } from 'vitest'
import { isUnusual } from '../../src/alerts/unusual-failures.ts'
import { dayMs } from '../../src/runtime/clock.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type AlertHouse, openAlertHouse } from './alert-house.ts'

let house: AlertHouse
beforeEach(async () => {
  house = await openAlertHouse()
})
afterEach(() => house.closeAll())

const write: AlertHouse['storage']['writer']['write'] = (unit) => house.storage.writer.write(unit)

test('failures are unusual by number and by share, against those of the week before', async () => {
  const floor = (ms: number): number => Math.floor(house.clock.now() / ms) * ms
  const count = (grain: 'minutes5' | 'hours6', bucket: number, failed: number, delivered: number) =>
    write((tx) =>
      insertRows(tx, 'traffic', [
        { account_id: 'acc_a', mode: 'live', grain, bucket, accepted: failed + delivered, failed, delivered },
      ]),
    )
  await write((tx) =>
    insertRows(tx, 'webhook_endpoints', [
      {
        account_id: 'acc_a',
        id: 'whk_1',
        url: 'https://a.example',
        state: 'enabled',
        secret: 's',
        created_at: 1,
        updated_at: 1,
      },
    ]),
  )
  await count('hours6', floor(21_600_000) - 2 * dayMs, 3, 97)
  await count('minutes5', floor(300_000) - 600_000, 10, 30)
  await house.look()
  expect(house.told()).toEqual([])
  await count('minutes5', floor(300_000), 10, 0)
  await house.look()
  expect(house.told()).toEqual(['ada: Failure rate of acc_a is unusually high'])
  expect(house.post.mails[0]?.raw).toMatch(/20 of 50[^]*40%[^]*3%/)
  const told = house.storage.read.selectFrom('webhook_events').select(['type', 'mode', 'facts'])
  expect(
    (await told.execute()).map((row) => ({ ...row, facts: JSON.parse(row.facts ?? '{}') as object })),
  ).toEqual([
    {
      type: 'failures.unusual',
      mode: 'live',
      facts: { failed: 20, ended: 50, usual_failed: 3, usual_ended: 100 },
    },
  ])
  house.minutes(70)
  await count('minutes5', floor(300_000), 3, 30)
  await house.look()
  expect(house.told()).toContain('ada: Failure rate of acc_a is back to normal')
  expect(await told.execute()).toHaveLength(1)
})

test.for([['nothing ends any more', 0, 0], ['the few that end still fail', 3, 1]] as const)('unusual failures end in silence where %s', async ([, failed, delivered]) => {
  const floor = (): number => Math.floor(house.clock.now() / 300_000) * 300_000
  const count = (failures: number, successes: number) =>
    write((tx) => insertRows(tx, 'traffic', [{ account_id: 'acc_a', mode: 'live', grain: 'minutes5', bucket: floor(), accepted: failures + successes, failed: failures, delivered: successes }]))
  await count(30, 0)
  await house.look()
  const begun = house.told()
  expect(begun).toEqual(['ada: Failure rate of acc_a is unusually high'])
  house.minutes(70)
  await count(failed, delivered)
  await house.look()
  expect(house.told()).toEqual(begun)
  expect(await house.storage.read.selectFrom('alerts').select('id').where('ended_at', 'is', null).execute()).toEqual([])
}) // prettier-ignore

test('whoever often fails is told of more, and what lasts ends lower than it began', () => {
  const asked = { minFailures: 20, lasts: false }
  const usual = (failed: number) => ({ failed, ended: 1_000 })
  expect(isUnusual({ failed: 19, ended: 19 }, usual(0), asked)).toBe(false)
  expect(isUnusual({ failed: 20, ended: 101 }, usual(0), asked)).toBe(false)
  expect(isUnusual({ failed: 20, ended: 100 }, usual(0), asked)).toBe(true)
  expect(isUnusual({ failed: 50, ended: 100 }, usual(300), asked)).toBe(false)
  expect(isUnusual({ failed: 61, ended: 100 }, usual(300), asked)).toBe(true)
  expect(isUnusual({ failed: 16, ended: 100 }, usual(0), asked)).toBe(false)
  expect(isUnusual({ failed: 16, ended: 100 }, usual(0), { ...asked, lasts: true })).toBe(true)
  expect(isUnusual({ failed: 96, ended: 100 }, usual(900), asked)).toBe(true)
  expect(isUnusual({ failed: 100, ended: 100 }, usual(0), { ...asked, minFailures: 0 })).toBe(false)
})

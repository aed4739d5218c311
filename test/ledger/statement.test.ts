import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs, utcDay } from '../../src/runtime/clock.ts'
import { grantSms } from '../../src/ledger/grants.ts'
import { readStatement } from '../../src/ledger/statement.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type AccountsFixture, openAccountsFixture } from '../accounts/accounts-fixture.ts'

let fixture: AccountsFixture
beforeEach(async () => {
  fixture = await openAccountsFixture()
})
afterEach(() => fixture.close())

test('a statement joins what was given and used, in order, and goes on from what was before', async () => {
  const { storage, clock } = fixture
  const { accountId } = await fixture.addAccount()
  const wallet = { account_id: accountId, mode: 'live' } as const
  const nowMs = clock.now()
  const today = utcDay(nowMs)
  await storage.writer.write((tx) =>
    insertRows(tx, 'usage_days', [
      { ...wallet, day: today, parts: 2 },
      { ...wallet, day: today + 1, parts: 3 },
      { ...wallet, day: today + 2, parts: 0 },
    ]),
  )
  const read = (fromDay: number, toDay: number) =>
    readStatement(storage.read, { accountId, mode: 'live' }, { fromDay, toDay, nowMs: nowMs + dayMs })
  const whole = await read(today, today + 3)
  expect(whole.rows.map(({ kind, sms, balance }) => [kind, sms, balance])).toEqual([
    ['grant', 10, 10],
    ['usage', -2, 8],
    ['usage', -3, 5],
  ])
  expect(whole.rows.map(({ atMs }) => atMs)).toEqual([nowMs, (today + 1) * dayMs - 1, nowMs + dayMs])
  expect(await read(today + 1, today + 3)).toMatchObject({ opening: 8, closing: 5 })
  expect(await read(today - 1, today)).toMatchObject({ opening: 0, closing: 0, rows: [] })
})

test('what was used on a day is in front of what was given at the first moment of the next', async () => {
  const { storage, clock } = fixture
  const { accountId } = await fixture.addAccount()
  const today = utcDay(clock.now())
  const midnightMs = (today + 1) * dayMs
  await storage.writer.write((tx) =>
    insertRows(tx, 'usage_days', [{ account_id: accountId, mode: 'live', day: today, parts: 2 }]),
  )
  await storage.writer.write((tx) =>
    grantSms(tx, { ...fixture.deps(), nowMs: midnightMs }, {
      accountId, mode: 'live', kind: 'grant', sms: 5, note: 'A note.', actor: 'test',
    }),
  ) // prettier-ignore
  const { rows } = await readStatement(
    storage.read,
    { accountId, mode: 'live' },
    { fromDay: today, toDay: today + 2, nowMs: midnightMs + 1 },
  )
  expect(rows.map(({ kind, balance }) => [kind, balance])).toEqual([['grant', 10], ['usage', 8], ['grant', 13]]) // prettier-ignore
})

test('what was given after the clock was set back stands at its time, though its ID is ahead', async () => {
  const { storage, clock } = fixture
  const { accountId } = await fixture.addAccount()
  const today = utcDay(clock.now())
  const give = (sms: number) =>
    storage.writer.write((tx) =>
      grantSms(tx, { ...fixture.deps(), nowMs: clock.now() }, {
        accountId, mode: 'live', kind: 'grant', sms, note: 'A note.', actor: 'test',
      }),
    ) // prettier-ignore
  clock.jumpWallClock(40 * dayMs)
  await give(5)
  clock.jumpWallClock(-40 * dayMs)
  await give(7)
  const read = (fromDay: number, toDay: number) =>
    readStatement(storage.read, { accountId, mode: 'live' }, { fromDay, toDay, nowMs: clock.now() })
  expect((await read(today, today + 1)).rows.map(({ sms }) => sms)).toEqual([10, 7])
  expect(await read(today + 1, today + 41)).toMatchObject({ opening: 17, closing: 22, rows: [{ sms: 5 }] })
})

import type { CompiledQuery } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Link } from '../../src/connectors/connector.ts'
import { resumeReceipts } from '../../src/dispatch/devices/resume-receipts.ts'
import { keyOfUnknownPart } from '../../src/messages/outcomes/unknown-parts.ts'
import {
  dropOldestUnmatched,
  keepUnmatched,
  readOverfull,
  readUnmatched,
  takeUnmatched,
  takeUnmatchedAbout,
} from '../../src/messages/outcomes/unmatched-receipts.ts'
import { readAttempts } from '../../src/messages/core/evidence-store.ts'
import { settleReceipts } from '../../src/messages/outcomes/settle-receipts.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { analyse, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
  await house.addDevice('dev_s', { settings: { drop_receipts: 'true' } })
  await house.send({ parts: 2 })
  await house.dispatcher.drain()
})
afterEach(() => house.close())

/** Thousands that were given up, among few that are waited for: statistics that tempt a planner. */
async function giveUpMany(): Promise<void> {
  const receipt = {
    device_id: 'dev_s',
    account_id: 'acc_a',
    mode: 'live',
    attempt_number: 1,
    wire_parts: 1,
  } as const
  const rows = Array.from({ length: 3_000 }, (_, i) => ({
    ...receipt,
    network_id: `n${i}`,
    message_id: `msg_${i}`,
    sent_at: i,
    closed_at: i,
  }))
  await house.storage.writer.write(async (tx) => {
    await insertRows(tx, 'receipts_expected', rows)
    await analyse(tx)
  })
}

const planOf = async (query: CompiledQuery): Promise<string[]> =>
  (await steps(query)).filter((step) => /receipts_expected|\br\b/.test(step))

const steps = (query: CompiledQuery): Promise<string[]> => stepsOf(house.dataFolder, query)

/**
 * The plans of PostgreSQL, for which the small tables of these tests may be joined in another order: what tells a receipt is searched for by the
 * index named.
 */
async function expectSearch(query: CompiledQuery, search: RegExp): Promise<void> {
  const told = (await steps(query)).filter((step) =>
    /^(SCAN|SEARCH) (receipts_expected|parked_receipts|messages)\b/.test(step),
  )
  expect(told).toEqual([
    expect.stringMatching(search),
    ...told.slice(1).filter((step) => step.startsWith('SEARCH ')),
  ])
}

const statementIn = (
  calls: readonly (readonly [CompiledQuery, ...unknown[]])[],
  part: string,
): CompiledQuery => calls.map(([query]) => query).find(({ sql: text }) => text.includes(part))!

describe.each(['fresh', 'analysed'])('on %s tables', (state) => {
  beforeEach(async () => {
    if (state === 'analysed') await giveUpMany()
  })

  test('whose time is over is found among those that are waited for, without a look at those that were given up', async () => {
    const executed = vi.spyOn(house.storage.read.getExecutor(), 'executeQuery')
    await house.janitors().receiptExpirer.sweepAll()
    const late = statementIn(executed.mock.calls, 'from wallets')
    if (isPostgres) return expectSearch(late, /^SEARCH receipts_expected BY receipts_expected_open \(.*sent_at<=\)$/)
    expect(await planOf(late)).toEqual([
      'SEARCH r USING INDEX receipts_expected_open (account_id=? AND mode=? AND sent_at<?)',
    ])
  })

  test('the attempts of a message are looked up by its key', async () => {
    // On PostgreSQL the plan of a set statement shows its function alone.
    if (isPostgres) return
    const executed = vi.spyOn(house.storage.read.getExecutor(), 'executeQuery')
    await readAttempts(house.storage.read as Tx, [{ accountId: 'acc_a', mode: 'live', messageId: 'msg_a' }])
    const read = statementIn(executed.mock.calls, 'from attempts where')
    const byKey = 'SEARCH attempts USING PRIMARY KEY (account_id=? AND mode=? AND message_id=?)'
    expect(await steps(read)).toEqual([expect.stringContaining(byKey) as string])
  })

  test('a link that starts is told of what is waited for over it, page by page, and of nothing that was given up', async () => {
    const row = { account_id: 'acc_a', mode: 'live', attempt_number: 1, wire_parts: 1, message_id: 'msg_w', closed_at: null } as const
    const waited = Array.from({ length: 1_100 }, (_, i) => ({ ...row, network_id: `w${i}`, device_id: 'dev_w', sent_at: i % 7 }))
    await house.storage.writer.write((tx) =>
      insertRows(tx, 'receipts_expected', [
        ...waited,
        { ...row, network_id: 'given up', device_id: 'dev_w', sent_at: 1, closed_at: 1 },
        { ...row, network_id: 'of another', device_id: 'dev_x', sent_at: 1 },
      ]),
    )
    const executed = vi.spyOn(house.storage.read.getExecutor(), 'executeQuery')
    const told: string[] = []
    const link = { resume: (expected: { networkId: string }[]) => void told.push(...expected.map(({ networkId }) => networkId)) } as unknown as Link
    await resumeReceipts(house.storage.read, 'dev_w', link)
    expect(told).toHaveLength(1_100)
    expect(new Set(told)).toEqual(new Set(waited.map(({ network_id }) => network_id)))
    // Of these nobody waits for any: only a failure would still be told.
    await resumeReceipts(house.storage.read, 'dev_w', { ...link, resumesFirst: { most: 5_000, failuresReported: true } })
    expect(told.slice(1_100).toSorted()).toEqual([...told.slice(0, 1_100), 'given up'].toSorted())
    const closed = statementIn(executed.mock.calls, '"closed_at" is not null and coalesce')
    if (isPostgres)
      for (const [statement, index] of [[statementIn(executed.mock.calls, 'order by "sent_at"'), 'open'], [closed, 'given_up']] as const)
        await expectSearch(statement, new RegExp(`^SEARCH receipts_expected BY receipts_expected_${index} \\(account_id= mode= \\[?sent_at`))
    if (isPostgres) return
    expect(await planOf(statementIn(executed.mock.calls, 'wallets'))).toEqual([
      'SEARCH r EXISTS USING INDEX receipts_expected_open (account_id=? AND mode=?)',
    ])
    expect(await steps(statementIn(executed.mock.calls, 'order by "sent_at"'))).toEqual([
      'SEARCH receipts_expected USING INDEX receipts_expected_open (account_id=? AND mode=? AND (sent_at,message_id,network_id)<(?,?,?))',
    ])
    expect(await steps(closed)).toEqual([
      'SEARCH receipts_expected USING INDEX receipts_expected_given_up (account_id=? AND mode=? AND (sent_at,message_id,network_id)<(?,?,?))',
    ])
  })

  test('parked receipts are found by their key, and those that are too many by their device and time', async () => {
    const word = (i: number) => ({ deviceId: 'dev_s', networkId: `p${i}`, alternatives: [`q${i}`], result: 'delivered', code: null, networkCode: null, atMs: i } as const)
    await house.storage.writer.write((tx) => keepUnmatched(tx, Array.from({ length: 2_000 }, (_, i) => word(i))))
    if (state === 'analysed') await house.storage.writer.write(analyse)
    const read = vi.spyOn(house.storage.read.getExecutor(), 'executeQuery')
    expect(await readOverfull(house.storage.read, 1_500)).toEqual([{ deviceId: 'dev_s', upToMs: 499 }])
    expect((await readUnmatched(house.storage.read, 'dev_s', 2)).found).toHaveLength(2)
    const attempt = { deviceId: 'dev_s', accountId: 'acc_a', mode: 'live', messageId: 'msg_1', attemptNumber: 1 } as const
    const calls = await house.storage.writer.write(async (tx) => {
      const executed = vi.spyOn(tx.getExecutor(), 'executeQuery')
      await keepUnmatched(tx, [word(1)])
      await takeUnmatched(tx, [{ ...attempt, networkId: 'p1', reference: 1 }])
      await dropOldestUnmatched(tx, { deviceId: 'dev_s', upToMs: 499 }, 10)
      return executed.mock.calls
    })
    const byKey = 'SEARCH parked_receipts USING PRIMARY KEY (network_id=? AND device_id=?'
    const byDevice = 'USING INDEX parked_receipts_by_device (device_id=?'
    if (isPostgres) {
      await expectSearch(statementIn(read.mock.calls, 'offset'), /parked_receipts BY parked_receipts_by_device \(device_id=\)$/)
      await expectSearch(statementIn(read.mock.calls, 'order by "received_at"'), /parked_receipts BY parked_receipts_by_device \(device_id=\)$/)
      await expectSearch(statementIn(calls, 'as told'), /parked_receipts BY parked_receipts_pkey \(network_id= device_id=/)
      await expectSearch(statementIn(calls, 'network_id > '), /parked_receipts BY parked_receipts_pkey/)
      return expectSearch(statementIn(calls, 'limit 10'), /parked_receipts BY parked_receipts_by_device \(device_id= received_at<=?\)$/)
    }
    expect(await steps(statementIn(read.mock.calls, 'offset'))).toEqual([
      expect.stringMatching(/^SCAN d/),
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH p USING COVERING INDEX parked_receipts_by_device (device_id=?)',
    ])
    expect((await steps(statementIn(read.mock.calls, 'order by "received_at"')))[0]).toBe(`SEARCH parked_receipts ${byDevice})`)
    expect(await steps(statementIn(calls, 'received_at <= ?4'))).toEqual([`${byKey} AND reading=?)`])
    expect(await steps(statementIn(calls, 'as told'))).toEqual([`${byKey})`])
    expect(await steps(statementIn(calls, 'network_id > '))).toEqual(['SEARCH parked_receipts USING PRIMARY KEY (network_id>? AND network_id<?)'])
    expect(await steps(statementIn(calls, 'limit 10'))).toEqual([`SEARCH parked_receipts ${byDevice} AND received_at<?)`])
  })

  test('what a receipt of a lost answer may be about is looked up by number, and nothing is looked through', async () => {
    // A table of one row is rightly scanned once it is analysed.
    await house.send({ to: Array.from({ length: 300 }, (_, i) => `+4915100000${100 + i}`) })
    await house.dispatcher.drain()
    if (state === 'analysed') await house.storage.writer.write(analyse)
    const { id: messageId } = await house.storage.read
      .selectFrom('messages')
      .select('id')
      .where('recipient', '=', '+4915112345678')
      .executeTakeFirstOrThrow()
    const place = keyOfUnknownPart('+4915112345678', 'att_1', 0)
    const word = { deviceId: 'dev_s', networkId: 'nobody', numbers: ['4915112345678'], result: 'delivered', code: null, networkCode: null, atMs: house.clock.now() } as const
    const calls = await house.storage.writer.write(async (tx) => {
      await insertRows(tx, 'receipts_expected', [
        { network_id: place, device_id: 'dev_s', account_id: 'acc_a', mode: 'live', message_id: messageId, attempt_number: 1, wire_parts: 1, sent_at: 1, closed_at: 1 },
      ])
      const executed = vi.spyOn(tx.getExecutor(), 'executeQuery')
      await settleReceipts(tx, [word], takeChange(tx, house.clock.now()))
      await takeUnmatchedAbout(tx, [{ deviceId: 'dev_s', recipient: '+4915112345678' }])
      return executed.mock.calls
    })
    const key = '(account_id=? AND mode=? AND message_id=?'
    if (isPostgres) {
      await expectSearch(statementIn(calls, 'as heard'), /receipts_expected BY receipts_expected_pkey \(network_id> network_id< device_id=\)$/)
      await expectSearch(statementIn(calls, 'm.recipient = '), /messages BY messages_by_recipient \(recipient= (account_id= mode= )?id>=\)$/)
      // Of a handful that was analysed PostgreSQL reads the table.
      if (state === 'analysed') return
      return expectSearch(statementIn(calls, 'reading = 0'), /parked_receipts BY parked_receipts_by_device \(device_id=\)$/)
    }
    expect(await steps(statementIn(calls, 'as heard'))).toEqual([
      'SEARCH r USING PRIMARY KEY (network_id>? AND network_id<?)',
      'SEARCH m USING INDEX sqlite_autoindex_messages_1 (account_id=? AND mode=? AND id=?)',
      `SEARCH a USING PRIMARY KEY ${key} AND number=?)`,
    ])
    expect(await steps(statementIn(calls, 'm.recipient = '))).toEqual([
      expect.stringMatching(/^SCAN w/),
      'SEARCH m USING INDEX messages_by_recipient (recipient=? AND account_id=? AND mode=? AND id>?)',
      `SEARCH a USING PRIMARY KEY ${key})`,
    ])
    expect(await steps(statementIn(calls, 'reading = 0'))).toEqual([
      'SEARCH parked_receipts USING INDEX parked_receipts_by_device (device_id=?)',
    ])
  })

  test('what a receipt without an id may be about is looked up by number, and nothing is looked through', async () => {
    await house.send({ to: Array.from({ length: 300 }, (_, i) => `+4915100000${100 + i}`) })
    await house.dispatcher.drain()
    if (state === 'analysed') await house.storage.writer.write(analyse)
    const word = { deviceId: 'dev_s', networkId: '?7/4915112345678', hasNoId: true, reference: 7, numbers: ['4915112345678'], result: 'delivered', code: null, networkCode: null, atMs: house.clock.now() } as const
    const calls = await house.storage.writer.write(async (tx) => {
      const executed = vi.spyOn(tx.getExecutor(), 'executeQuery')
      await settleReceipts(tx, [word], takeChange(tx, house.clock.now()))
      return executed.mock.calls
    })
    const open = statementIn(calls, 'as told')
    if (isPostgres) return expectSearch(open, /messages BY messages_by_recipient \(recipient= (account_id= mode= )?id>=\)$/)
    const half = (index: string) => [
      expect.stringMatching(/^SCAN w/),
      'SEARCH m USING INDEX messages_by_recipient (recipient=? AND account_id=? AND mode=? AND id>?)',
      `SEARCH r USING INDEX receipts_expected_${index} (account_id=? AND mode=? AND sent_at=? AND message_id=?)`,
      'SEARCH a USING PRIMARY KEY (account_id=? AND mode=? AND message_id=? AND number=?)',
    ]
    expect(await steps(open)).toEqual(['COMPOUND QUERY', 'LEFT-MOST SUBQUERY', ...half('open'), 'UNION ALL', ...half('given_up')])
  })
}) // prettier-ignore

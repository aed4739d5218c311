import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { createLostWaitExpirer } from '../../src/dispatch/sweepers/lost-wait-expirer.ts'
import { createReceiptExpirer } from '../../src/dispatch/sweepers/receipt-expirer.ts'
import type { Sweeper } from '../../src/dispatch/sweepers/sweeper.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { accepted, type LostHouse, openLostHouse, receiptSweeps } from './lost-house.ts'
import { unknown } from './outcomes.ts'

/** A message that was sent, and for whose receipts no row waits: each way in which that can happen, and that it ends (P2). */
const hourMs = 3_600_000
const windowMs = 72 * hourMs
const away: Outcome = { kind: 'unavailable', detail: 'gone' }

let house: LostHouse
let expirer: Sweeper
let lostWaits: Sweeper
beforeEach(async () => {
  house = await openLostHouse()
  const deps = receiptSweeps(house)
  // A late receipt corrects nothing: a wait that was given up is forgotten at once.
  expirer = createReceiptExpirer({ ...deps, correctionDays: 0 })
  lostWaits = createLostWaitExpirer(deps)
})
afterEach(() => house.close())

const isAwaited = async () =>
  (await house.rowsOf('receipts_expected')).some((row) => 'message_id' in row && row.closed_at === null)

const first = () => house.store.db.selectFrom('messages').selectAll().orderBy('id').executeTakeFirstOrThrow()

/** Nothing waits for it; it stays through its window, and an hour behind that it has ended. */
async function expectEnd(end: object): Promise<void> {
  expect(await first()).toMatchObject({ status: 'sent', finalized_at: null })
  house.clock.jumpWallClock(windowMs + hourMs)
  await expirer.sweepAll()
  await lostWaits.sweepAll()
  expect(await first()).toMatchObject({ status: 'sent', finalized_at: null })
  house.clock.jumpWallClock(hourMs)
  await expirer.sweepAll()
  await lostWaits.sweepAll()
  expect(await first()).toMatchObject(end)
  await house.sums()
  const before = await first()
  house.clock.jumpWallClock(hourMs)
  await lostWaits.sweepAll()
  expect(await first()).toEqual(before)
}

const unconfirmed = { status: 'unconfirmed', error_code: 'receipt_missing', charged: 1, parts_sent: 1 }

describe('a second attempt', () => {
  let earlier: Claimed
  let second: Claimed
  beforeEach(async () => {
    await house.send()
    earlier = await house.claim()
    await house.end(earlier, away)
    second = await house.claim()
    await house.late(earlier, accepted('n1'))
  })

  test('of unknown outcome got the ID of the first, which was taken', async () => {
    await house.end(second, unknown('n1'))
    expect(await isAwaited()).toBe(false)
    await expectEnd(unconfirmed)
  })

  test('was open until the ID of the first had been forgotten and was given to another message', async () => {
    house.clock.jumpWallClock(1_000)
    await expirer.sweepAll()
    expect(await house.rowsOf('receipts_expected')).toEqual([])
    await house.send()
    const other = await house.claim()
    await house.end(other, accepted('n1'))
    await house.end(second, away)
    await house.receipts({ n1: 'delivered' })
    expect(await house.statuses()).toEqual(['sent', 'delivered'])
    expect(await isAwaited()).toBe(false)
    await expectEnd(unconfirmed)
  })
})

test('the row of a part is missing where a database was rescued row by row: what was reported of the others counts', async () => {
  await house.send({ parts: 2 })
  await house.end(await house.claim(), accepted('n1', 'n2'))
  await house.receipts({ n1: 'delivered' })
  await house.store.writer.write((tx) => tx.deleteFrom('receipts_expected').execute())
  await expectEnd({ ...unconfirmed, charged: 2, parts_sent: 2 })
})

test('the row of the only part is missing, and so is the report of a part that arrived', async () => {
  await house.send({ parts: 2 })
  await house.end(await house.claim(), accepted('n1', 'n2'))
  await house.receipts({ n1: 'delivered' })
  const arrived = JSON.stringify(['n1', 'n2'].map((id) => ({ ids: [id], state: 'delivered', reason: null })))
  await house.store.writer.write(async (tx) => {
    await tx.deleteFrom('receipts_expected').execute()
    await tx.updateTable('attempts').set({ part_reports: arrived }).execute()
  })
  await expectEnd({ status: 'delivered' })
})

test('receipts were promised for an attempt without an ID: it is sent, and final', async () => {
  await house.send()
  await house.end(await house.claim(), accepted('n1'))
  await house.store.writer.write(async (tx) => {
    await tx.deleteFrom('receipts_expected').execute()
    await tx.updateTable('attempts').set({ network_ids: null }).execute()
  })
  await expectEnd({ status: 'sent', receipt_expected: 0 })
})

test('a message whose wait is not over is left to it', async () => {
  await house.send()
  await house.end(await house.claim(), accepted('n1'))
  house.clock.jumpWallClock(windowMs + 2 * hourMs)
  await lostWaits.sweepAll()
  expect(await house.statuses()).toEqual(['sent'])
})

test('a sweep reads 500 messages of one wallet after another, and the next pass begins an hour after this one', async () => {
  const { store, clock } = house
  await addAccounts('acc_0', 'acc_1')
  await sendMany('acc_0', 90)
  for (let i = 0; i < 8; i++) await sendMany('acc_1', 90)
  const loseWait = async () => {
    await house.send()
    await house.end(await house.claim(), accepted('n1'))
    await store.writer.write((tx) => tx.deleteFrom('receipts_expected').execute())
    clock.jumpWallClock(windowMs + 2 * hourMs)
  }
  const statuses = async () => {
    const rows = await store.db.selectFrom('messages').select('status').where('account_id', '=', 'acc_a').orderBy('id').execute() // prettier-ignore
    return rows.map(({ status }) => status)
  }
  const pages = async () => {
    const seen = await statementsOf(store.db, () => lostWaits.sweepAll())
    return seen.filter(({ sql }) => sql.includes('from messages where')).length
  }
  await loseWait()
  expect(await pages()).toBe(3)
  expect(await statuses()).toEqual(['sent'])
  expect(await pages()).toBe(4)
  expect(await statuses()).toEqual(['unconfirmed'])
  expect(await pages()).toBe(0)
  await loseWait()
  expect([await pages(), await pages()]).toEqual([3, 4])
  expect(await statuses()).toEqual(['unconfirmed', 'unconfirmed'])
})

test('a page is read by the primary key', async () => {
  await house.send()
  const seen = await statementsOf(house.store.db, () => lostWaits.sweepAll())
  const page = seen.find(({ sql }) => sql.includes('from messages where'))
  const steps = await stepsOf(house.store.dataFolder, page!)
  const byKey = isPostgres
    ? /messages BY messages_pkey \(account_id= mode= id>\)/
    : /^SEARCH messages USING (?:PRIMARY KEY|INDEX sqlite_autoindex_messages_1) \(account_id=\? AND mode=\? AND id>\?\)/
  expect(steps.some((step) => byKey.test(step))).toBe(true)
})

async function addAccounts(...names: string[]): Promise<void> {
  const ids = createIds(house.clock)
  await house.store.writer.write(async (tx) => {
    for (const id of names) {
      await tx.insertInto('accounts').values({ id, name: id, state: 'active', created_at: 1, updated_at: 1 }).execute()
      await openWallets(tx, { ids, nowMs: 1 }, { accountId: id, freeSms: 1_000, playSms: 0, lowThreshold: 0, actor: 'test' })
    }
  }) // prettier-ignore
}

function sendMany(accountId: string, count: number): Promise<unknown> {
  const ids = createIds(house.clock)
  const recipients = Array.from({ length: count }, (_, i) => ({
    to: `+49151${20_000_000 + i}`,
    country: 'DE',
  }))
  return house.send({ accountId, recipients, messageIds: recipients.map(() => ids('msg')) })
}

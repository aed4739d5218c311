import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDevicesStatus } from '../../src/devices/status/device-status.ts'
import { everyMessage, type HistoryQuery } from '../../src/messages/history/history-query.ts'
import { readHistory } from '../../src/messages/history/history.ts'
import { readMessageDetails } from '../../src/messages/history/message-details.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { ada, deliveredAt, store, storedMessage } from './stored-messages.ts'

let base: TestStorage

beforeAll(async () => {
  base = await openTestStorage()
})
afterAll(() => base.close())

const plansOf = async (query: Partial<HistoryQuery>): Promise<string[]> => {
  const asked = { owner: ada, query: { ...everyMessage, ...query }, position: null, limit: 25 }
  const statements = await statementsOf(base.storage.read, () => readHistory(base.storage.read, asked))
  const steps = await stepsOf(base.dataFolder, ...statements)
  // Of what is queued on the page, each open attempt is looked up by its index.
  return steps.filter((step) => !/^SEARCH attempts (?:USING INDEX|BY) attempts_open \(/.test(step))
}

const primary = 'USING INDEX sqlite_autoindex_messages_1 (account_id=? AND mode=? AND id'
const ofAge = isPostgres
  ? 'SEARCH messages BY messages_pkey (account_id= mode= id>= id<)'
  : `SEARCH messages ${primary}>? AND id<?)`
const byId = isPostgres
  ? expect.stringMatching(/^SEARCH messages BY messages_pkey \(account_id= mode= (id>= id< )?id=\)$/)
  : `SEARCH messages ${primary}=?)`
const ofAgeAlone = isPostgres ? ofAge : ofAge.replace('USING INDEX', 'USING COVERING INDEX')
const byKey = (table: string, columns: readonly string[]): string =>
  isPostgres
    ? `SEARCH ${table} BY ${table}_pkey (${columns.map((column) => `${column}=`).join(' ')})`
    : `SEARCH ${table} USING PRIMARY KEY (${columns.map((column) => `${column}=?`).join(' AND ')})`

describe.each(['fresh', 'analysed'])('on %s tables', (state) => {
  beforeAll(async () => {
    if (state === 'fresh') return
    await storeALot()
    await base.storage.writer.write(analyse)
  })

  test('a page by creation reads the primary key in its order and sorts nothing', async () => {
    expect(await plansOf({})).toEqual([ofAge])
    const between = await plansOf({ order: 'asc', createdAfterMs: 1, createdBeforeMs: 2_000_000_000_000 })
    // How far the clock was set back is one row.
    expect(between.filter((step) => !step.startsWith('SEARCH instance '))).toEqual([ofAge])
  })

  test('ids are looked up one by one', async () => {
    const ids = ['msg_01k9ktqv1hfm3se9a0x5rtb8vq', 'msg_01k9ktqv1hfm3se9a0x5rtb8vr']
    expect(await plansOf({ ids })).toEqual([byId])
    expect(
      await plansOf({ ids, statuses: ['failed'], clientReference: 'order-1', updatedAfterMs: 1 }),
    ).toEqual([
      expect.stringMatching(
        /^SEARCH messages (USING INDEX|BY) (sqlite_autoindex_messages_1|messages_pkey|messages_by_reference) \(.* id=\??\)$/,
      ),
    ])
  })

  test('the messages of a send are one short range', async () => {
    expect(await plansOf({ sendId: 'snd_01k9ktqv1gfx8r4z6m2d7cwn5e' })).toEqual([
      ...(isPostgres && state === 'analysed' ? [] : [byKey('sends', ['account_id', 'id'])]),
      ofAge,
    ])
  })

  test('a recipient and a reference have an index each', async () => {
    expect(await plansOf({ to: '+4915112345678' })).toEqual([
      isPostgres
        ? 'SEARCH messages BY messages_by_recipient (recipient= account_id= mode= id>= id<)'
        : 'SEARCH messages USING INDEX messages_by_recipient (recipient=? AND account_id=? AND mode=? AND id>? AND id<?)',
    ])
    expect(await plansOf({ clientReference: 'order-1' })).toEqual([
      isPostgres
        ? 'SEARCH messages BY messages_by_reference (account_id= mode= client_reference= id>= id<)'
        : 'SEARCH messages USING INDEX messages_by_reference (account_id=? AND mode=? AND client_reference=? AND id>? AND id<?)',
    ])
  })

  test('a search finds its bound in the index alone', async () => {
    expect(await plansOf({ statuses: ['failed'] })).toEqual([ofAgeAlone, ofAge])
  })

  test('a search by key looks up the send of each message that it reads', async () => {
    const plans = await plansOf({ keyId: 'key_1', text: 'x' })
    // Of as few messages as are stored here PostgreSQL rightly reads all, and as many sends.
    if (isPostgres) return expect(plans[0]).toBe(ofAgeAlone)
    expect(plans).toEqual([
      ofAgeAlone,
      ofAge,
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH sends USING PRIMARY KEY (account_id=? AND id=?)',
    ])
  })

  test('a page by change reads the record of changes in its order, and each message by its key', async () => {
    const [page, filtered] = [{ updatedAfterMs: 1 }, { updatedAfterMs: 1, statuses: ['failed' as const] }]
    const plans = new Set([...(await plansOf(page)), ...(await plansOf(filtered))])
    // Of what is queued, PostgreSQL may look for the open attempts of all at once, where it knows of few.
    plans.delete('SCAN attempts BY attempts_open')
    expect([...plans]).toEqual(
      isPostgres
        ? ['SEARCH message_changes BY message_changes_pkey (account_id= mode= [number, part]>=)', byId]
        : [
            'CO-ROUTINE e',
            'SEARCH c USING PRIMARY KEY (account_id=? AND mode=? AND (number,part)>(?,?))',
            'SCAN w VIRTUAL TABLE INDEX 1:',
            'SCAN e',
            byId,
            'CORRELATED SCALAR SUBQUERY 2',
            'SEARCH o USING INDEX attempts_open (account_id=? AND mode=? AND message_id=?)',
          ],
    )
  })

  test('the status reads counters and short ends of queues', async () => {
    const statements = await statementsOf(base.storage.read, () =>
      readDevicesStatus(base.storage.read, ada, base.clock.now()),
    )
    const plans = await stepsOf(base.dataFolder, ...statements)
    if (isPostgres) return expect(plans.filter((step) => isLoose(step))).toEqual([])
    expect(plans).toContain('SEARCH q USING PRIMARY KEY (route_key=? AND account_id=? AND priority=?)')
    expect(plans).toContain('SCAN attempts USING INDEX attempts_open')
    expect(
      plans.filter((step) => /^SCAN (?!CONSTANT|attempts USING INDEX attempts_open)|AUTOMATIC/.test(step)),
    ).toEqual([])
  })

  test('the story of a message looks everything up by key, and its place in the queue from its last change on', async () => {
    const { ids, clock, storage } = base
    const waits = storedMessage({ id: ids('msg'), created_at: clock.now(), send_id: ids('snd') })
    const sent = storedMessage({
      ...deliveredAt(clock.now()),
      id: ids('msg'),
      created_at: clock.now(),
      status: 'sent',
      finalized_at: null,
      settled_at: null,
    })
    await store(storage, [waits, sent])
    const statements = await statementsOf(storage.read, async () => {
      await readMessageDetails(storage.read, ada, waits.id)
      await readMessageDetails(storage.read, ada, sent.id)
    })
    const plans = [...new Set(await stepsOf(base.dataFolder, ...statements))]
    if (isPostgres) {
      expect(plans).toEqual(
        expect.arrayContaining([byId, byKey('attempts', ['account_id', 'mode', 'message_id'])]),
      )
      expect(plans).toContain('SEARCH queue BY queue_pkey (route_key= account_id= priority= due_at>=)')
      return expect(plans.filter((step) => isLoose(step))).toEqual([])
    }
    expect(plans.toSorted()).toEqual([
      'CO-ROUTINE behind',
      'SCAN behind',
      'SEARCH attempts USING INDEX attempts_open (account_id=? AND mode=? AND message_id=?)',
      'SEARCH attempts USING PRIMARY KEY (account_id=? AND mode=? AND message_id=?)',
      'SEARCH deferred USING PRIMARY KEY (account_id=? AND mode=? AND message_id=?)',
      'SEARCH followers USING COVERING INDEX followers_by_follower (account_id=? AND mode=? AND follower_id=?)',
      'SEARCH followers USING INDEX followers_by_follower (account_id=? AND mode=? AND follower_id=?)',
      'SEARCH followers USING PRIMARY KEY (account_id=? AND mode=? AND message_id=?)',
      byId,
      'SEARCH phone_offers USING PRIMARY KEY (attempt_id=?) LEFT-JOIN',
      'SEARCH queue USING PRIMARY KEY (route_key=? AND account_id=? AND priority=? AND due_at>?)',
      expect.stringMatching(/^SEARCH receipts_expected USING (COVERING )?INDEX receipts_expected_open/),
      'SEARCH sends USING PRIMARY KEY (account_id=? AND id=?)',
    ])
  })

  test('a timeline looks the attempts of each message up', async () => {
    const { ids, clock, storage } = base
    const id = ids('msg')
    await store(storage, [storedMessage({ id, created_at: clock.now(), ...deliveredAt(clock.now()) })])
    expect(await plansOf({ ids: [id], timeline: true })).toEqual([
      byId,
      byKey('attempts', ['account_id', 'mode', 'message_id']),
    ])
  })
})

/** On PostgreSQL: a table that is read from end to end, apart from the attempts that are open. */
const isLoose = (step: string): boolean => /^SCAN (?!attempts BY attempts_open)/.test(step)

/** One large account among small ones: statistics that tempt a planner to scan. */
async function storeALot(): Promise<void> {
  const { storage, clock, ids } = base
  const rows = Array.from({ length: 3_000 }, (_, i) =>
    storedMessage({
      id: ids('msg'),
      created_at: clock.now(),
      client_reference: i % 3 === 0 ? `order-${i}` : null,
      recipient: `+49151${String(i).padStart(8, '0')}`,
      ...(i % 10 === 0 ? { account_id: `acc_${i}` } : {}),
      ...(i < 2_900 ? deliveredAt(clock.now() + Math.floor(i / 100)) : {}),
    }),
  )
  await store(storage, rows)
  const keyOf = ({ account_id, mode, id }: MessageRow) => ({ account_id, mode, message_id: id })
  const attempts = rows.map((row) => {
    const end =
      row.status === 'queued'
        ? { state: 'handing_over' as const, ended_at: null }
        : { state: 'accepted' as const, ended_at: 2 }
    return { ...keyOf(row), number: 1, id: ids('att'), device_id: 'dev_1', fence: 1, started_at: 1, ...end }
  })
  const waiting = rows
    .filter((row) => row.status === 'queued')
    .map((row, i) => ({
      ...keyOf(row),
      route_key: 'live:',
      priority: 1,
      due_at: i,
      parts: 1,
      expires_at: 9,
    }))
  const receipt = { device_id: 'dev_1', attempt_number: 1, wire_parts: 1 }
  const receipts = rows.map((row, i) => ({
    ...keyOf(row),
    ...receipt,
    network_id: `net_${i}`,
    sent_at: i,
    closed_at: i % 2 === 0 ? 5 : null,
  }))
  const deferred = rows.map((row) => ({
    ...keyOf(row),
    reason: 'scheduled' as const,
    wake_at: 1,
    route_key: 'live:',
    priority: 1,
    parts: 1,
    expires_at: 9,
  }))
  const totals = {
    account_id: ada.accountId,
    mode: ada.mode,
    route_key: 'live:',
    messages: 90,
    parts: 90,
    next_expiry_at: 9,
  }
  await storage.writer.write(async (tx) => {
    await insertRows(tx, 'attempts', attempts)
    await insertRows(tx, 'queue', waiting)
    await insertRows(tx, 'queue_totals', [totals])
    await insertRows(tx, 'deferred', deferred)
    await insertRows(tx, 'receipts_expected', receipts)
  })
}

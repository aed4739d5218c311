import { DatabaseSync } from 'node:sqlite'
import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDevicesStatus } from '../../src/devices/device-status.ts'
import { everyMessage, type HistoryQuery } from '../../src/messages/history-query.ts'
import { readHistory } from '../../src/messages/history.ts'
import { readMessageStory } from '../../src/messages/message-story.ts'
import type { MessageRow } from '../../src/messages/message-store.ts'
import { databaseFile } from '../../src/storage/database.ts'
import type { Db } from '../../src/storage/dialect.ts'
import { insertRows } from '../../src/storage/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { ada, deliveredAt, store, storedMessage } from './stored-messages.ts'

let base: TestStorage
let plain: DatabaseSync

beforeAll(async () => {
  base = await openTestStorage()
  plain = new DatabaseSync(databaseFile(base.dataFolder), { readOnly: true })
})
afterAll(async () => {
  plain.close()
  await base.close()
})

/** Every statement that `read` sends, with its parameters. */
async function statementsOf(db: Db, read: () => Promise<unknown>): Promise<CompiledQuery[]> {
  const executor = db.getExecutor() as { executeQuery: (query: CompiledQuery, ...more: unknown[]) => unknown }
  const send = executor.executeQuery
  const sent: CompiledQuery[] = []
  executor.executeQuery = (query, ...more) => {
    sent.push(query)
    return send.call(executor, query, ...more)
  }
  await read()
  executor.executeQuery = send
  return sent
}

/** The steps of SQLite's plan, one line each. */
function planOf({ sql: text, parameters }: CompiledQuery): string[] {
  // A set statement carries one list of parameters for each run.
  const values = Array.isArray(parameters[0]) ? parameters[0] : parameters
  return plain
    .prepare(`explain query plan ${text}`)
    .all(...(values as string[]))
    .map((step) => String(step['detail']))
}

const plansOf = async (query: Partial<HistoryQuery>): Promise<string[]> => {
  const asked = { owner: ada, query: { ...everyMessage, ...query }, position: null, limit: 25 }
  const statements = await statementsOf(base.storage.read, () =>
    readHistory({ read: base.storage.read, safeHorizonMs: () => base.clock.now() }, asked),
  )
  return statements.flatMap(planOf)
}

const primary = 'USING INDEX sqlite_autoindex_messages_1 (account_id=? AND mode=? AND id'
const ofAge = `SEARCH messages ${primary}>? AND id<?)`
const byId = `SEARCH messages ${primary}=?)`

describe.each(['fresh', 'analysed'])('on %s tables', (state) => {
  beforeAll(async () => {
    if (state === 'fresh') return
    await storeALot()
    await base.storage.writer.write((tx) => sql`analyze`.execute(tx))
    plain.close()
    plain = new DatabaseSync(databaseFile(base.dataFolder), { readOnly: true })
  })

  test('a page by creation reads the primary key in its order and sorts nothing', async () => {
    expect(await plansOf({})).toEqual([ofAge])
    expect(await plansOf({ order: 'asc', createdAfterMs: 1, createdBeforeMs: 2_000_000_000_000 })).toEqual([
      ofAge,
    ])
  })

  test('ids are looked up one by one', async () => {
    const ids = ['msg_01k9ktqv1hfm3se9a0x5rtb8vq', 'msg_01k9ktqv1hfm3se9a0x5rtb8vr']
    expect(await plansOf({ ids })).toEqual([byId])
    expect(
      await plansOf({ ids, statuses: ['failed'], clientReference: 'order-1', updatedAfterMs: 1 }),
    ).toEqual([
      expect.stringMatching(
        /^SEARCH messages USING INDEX (sqlite_autoindex_messages_1|messages_by_reference) \(.* AND id=\?\)$/,
      ),
    ])
  })

  test('the messages of a send are one short range', async () => {
    expect(await plansOf({ sendId: 'snd_01k9ktqv1gfx8r4z6m2d7cwn5e' })).toEqual([
      'SEARCH sends USING PRIMARY KEY (account_id=? AND id=?)',
      ofAge,
    ])
  })

  test('a recipient and a reference have an index each', async () => {
    expect(await plansOf({ to: '+4915112345678' })).toEqual([
      'SEARCH messages USING INDEX messages_by_recipient (account_id=? AND mode=? AND recipient=? AND id>? AND id<?)',
    ])
    expect(await plansOf({ clientReference: 'order-1' })).toEqual([
      'SEARCH messages USING INDEX messages_by_reference (account_id=? AND mode=? AND client_reference=? AND id>? AND id<?)',
    ])
  })

  test('a search finds its bound in the index alone', async () => {
    expect(await plansOf({ statuses: ['failed'] })).toEqual([
      ofAge.replace('USING INDEX', 'USING COVERING INDEX'),
      ofAge,
    ])
  })

  test('a search by key looks up the send of each message that it reads', async () => {
    const plans = await plansOf({ keyId: 'key_1', text: 'x' })
    expect(plans).toEqual([
      ofAge.replace('USING INDEX', 'USING COVERING INDEX'),
      ofAge,
      'SEARCH sends EXISTS USING PRIMARY KEY (account_id=? AND id=?)',
    ])
  })

  test('a page by change reads the index of each place where a message can be', async () => {
    const plans = await plansOf({ updatedAfterMs: 1, statuses: ['failed'] })

    expect(plans).toContain(
      'SEARCH messages USING INDEX messages_by_settlement (account_id=? AND mode=? AND (settled_at,id)>(?,?) AND (settled_at,id)<(?,?))',
    )
    expect(plans).toContain(
      'SEARCH receipts_expected USING INDEX receipts_expected_open (account_id=? AND mode=? AND (sent_at,message_id)>(?,?) AND (sent_at,message_id)<(?,?))',
    )
    expect(plans).toContain('SCAN attempts USING INDEX attempts_open')
    if (state === 'analysed')
      expect(plans).toContain(
        'SEARCH queue USING PRIMARY KEY (route_key=? AND account_id=? AND priority=? AND due_at>?)',
      )
    expect(
      plans.filter((step) => step.startsWith('SEARCH messages') && !step.includes('messages_by_settlement')),
    ).not.toHaveLength(0)
    expect(
      plans.filter(
        (step) =>
          step.startsWith('SEARCH messages') && !step.includes('messages_by_settlement') && step !== byId,
      ),
    ).toEqual([])
    expect(
      plans.filter((step) =>
        /^SCAN (?!found|waits|next|attempts USING INDEX attempts_open)|AUTOMATIC/.test(step),
      ),
    ).toEqual([])
  })

  test('the status reads counters and short ends of queues', async () => {
    const statements = await statementsOf(base.storage.read, () =>
      readDevicesStatus(base.storage.read, ada, base.clock.now()),
    )
    const plans = statements.flatMap(planOf)
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
      await readMessageStory(storage.read, ada, waits.id)
      await readMessageStory(storage.read, ada, sent.id)
    })
    const plans = [...new Set(statements.flatMap(planOf))]
    expect(plans.toSorted()).toEqual([
      'CO-ROUTINE behind',
      'SCAN behind',
      'SEARCH attempts USING PRIMARY KEY (account_id=? AND mode=? AND message_id=?)',
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
      'SEARCH attempts USING PRIMARY KEY (account_id=? AND mode=? AND message_id=?)',
    ])
  })
})

/** One large account among small ones: statistics that tempt a planner to scan. */
async function storeALot(): Promise<void> {
  const { storage, clock, ids } = base
  const rows = Array.from({ length: 3_000 }, (_, i) =>
    storedMessage({
      id: ids('msg'),
      created_at: clock.now(),
      client_reference: i % 3 === 0 ? 'order-1' : null,
      ...(i % 10 === 0 ? { account_id: `acc_${i}` } : {}),
      ...(i < 2_900 ? deliveredAt(clock.now() + i) : {}),
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
      changed_at: i,
    }))
  const receipt = { device_id: 'dev_1', attempt_number: 1, wire_parts: 1 }
  const receipts = rows.map((row, i) => ({
    ...keyOf(row),
    ...receipt,
    network_id: `net_${i}`,
    sent_at: i,
    closed_at: i % 2 === 0 ? 5 : null,
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
    await insertRows(tx, 'receipts_expected', receipts)
  })
}

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { recordChanges } from '../../src/messages/core/message-changes.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import type { HistoryFilter } from '../../src/messages/history/history-query.ts'
import { insertRows, updateRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { ada, store, storedMessage, walkHistory } from './stored-messages.ts'

/** Pages by change, with every filter, of messages that go on to change between two pages, most of them in the same millisecond. */
let base: TestStorage
beforeAll(async () => {
  base = await openTestStorage()
})
afterAll(() => base.close())

/** A message, its send, and how long after the send before that was. */
const shape = fc.record({
  send: fc.nat(2),
  ms: fc.constantFrom(0, 0, 1),
  row: fc.record({
    recipient: fc.constantFrom('+4915112345678', '+14155550123'),
    sender: fc.constantFrom(null, 'Acme'),
    country: fc.constantFrom('DE', 'US'),
    category: fc.constantFrom('transactional' as const, 'marketing' as const),
    direction: fc.constantFrom('outbound' as const, 'inbound' as const),
    client_reference: fc.constantFrom(null, 'order-1'),
    key_id: fc.constantFrom('key_1', 'usr_1'),
    text: fc.constantFrom('Hello', 'Code 4711'),
  }),
})
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never

/** All filters; those by time and ID follow from what is stored. */
const everyFilter = fc.record({
  someIds: fc.uniqueArray(fc.nat(11), { minLength: 2 }),
  send: fc.nat(3),
  statuses: fc.constantFrom(['queued'], ['queued', 'sending']) as fc.Arbitrary<HistoryFilter['statuses']>,
  clientReference: fc.constant('order-1'),
  direction: fc.constant('outbound' as const),
  category: fc.constant('transactional' as const),
  deviceId: fc.constant('dev_1'),
  to: fc.constant('+4915112345678'),
  from: fc.constant('Acme'),
  country: fc.constant('DE'),
  text: fc.constant('hello'),
  keyId: fc.constant('key_1'),
  createdAfterMs: fc.nat(4),
  createdBeforeMs: fc.integer({ min: 1, max: 5 }),
})
type EveryFilter = typeof everyFilter extends fc.Arbitrary<infer T> ? T : never
const names = ['statuses', 'clientReference', 'direction', 'category', 'deviceId', 'to', 'from', 'country', 'text', 'keyId', 'createdAfterMs', 'createdBeforeMs'] as const // prettier-ignore
/** Any of them, most often few: with all of them nothing is left. */
const wish = fc
  .tuple(
    everyFilter,
    fc.subarray(['someIds', 'send'] as const),
    fc.oneof(fc.constant([]), fc.subarray([...names], { maxLength: 2 }), fc.subarray([...names])),
  )
  .map(([all, few, more]): Partial<EveryFilter> =>
    Object.fromEntries([...few, ...more].map((name) => [name, all[name]])),
  )

/** What a unit changes between two pages, and how long after the one before. */
const nextUnit = fc.record({
  lateMs: fc.constantFrom(0, 0, 1, 3),
  changed: fc.uniqueArray(fc.nat(11), { minLength: 1, maxLength: 4 }),
  ms: fc.constantFrom(0, 0, 0, 1),
})

let runs = 0

/** Stores up to 12 messages in up to three sends, each in a unit; three sends have a row of their own. */
async function storeSends(accountId: string, shapes: readonly Shape[]): Promise<MessageRow[]> {
  const rows: MessageRow[] = []
  for (const [send, alike] of [...Map.groupBy(shapes, (one) => one.send)].toSorted(([a], [b]) => a - b)) {
    await base.clock.advance(alike[0]!.ms)
    const [send_id, created_at] = [`snd_${accountId}_${send}`, base.clock.now()]
    const sent = alike.map(({ row }) =>
      storedMessage({ id: base.ids('msg'), created_at, ...row, account_id: accountId, send_id }),
    )
    const range = { first_message_id: sent[0]!.id, last_message_id: sent.at(-1)!.id }
    const row = {
      account_id: accountId,
      id: send_id,
      mode: ada.mode,
      key_id: 'key_9',
      smart_encoding_applied: 0,
      created_at,
      ...range,
    } as const
    await base.storage.writer.write((tx) => insertRows(tx, 'sends', [row]))
    rows.push(...sent)
  }
  await store(base.storage, rows)
  return rows
}

/**
 * Changes these messages in one unit, in place: those that wait are claimed, and those in flight wait again. The node that
 * claims looked at its clock `lateMs` before.
 */
const change = (rows: readonly MessageRow[], lateMs: number): Promise<void> =>
  base.storage.writer.write(async (tx) => {
    const unit = await takeChange(tx, base.clock.now())
    const [ended, claimed] = [rows.filter(isInFlight), rows.filter((row) => !isInFlight(row))]
    for (const row of ended)
      Object.assign(row, { status: 'queued', device_id: null, sequence: row.sequence + 1, updated_at: unit.atMs })
    await updateRows(tx, 'messages', ['account_id', 'mode', 'id'], ended)
    const over = { state: 'refused', ended_at: unit.atMs } as const
    await updateRows(tx, 'attempts', ['account_id', 'mode', 'message_id', 'number'], ended.map((row) => ({ ...keyOf(row), ...over })))
    const startedMs = unit.nowMs - lateMs
    for (const row of claimed) {
      Object.assign(row, { status: 'sending', device_id: 'dev_1', attempts: row.attempts + 1, sequence: row.sequence + 1 })
      row.updated_at = Math.max(row.updated_at, startedMs)
    }
    const open = { device_id: 'dev_1', fence: 1, state: 'handing_over', started_at: startedMs } as const
    await insertRows(tx, 'attempts', claimed.map((row) => ({ ...keyOf(row), id: `att_${row.id}_${row.attempts}`, ...open })))
    await recordChanges(tx, unit, rows)
  }) // prettier-ignore

const isInFlight = ({ status }: MessageRow): boolean => status === 'sending'
const keyOf = ({ account_id, mode, id, attempts }: MessageRow) => ({ account_id, mode, message_id: id, number: attempts }) // prettier-ignore

/** The filter of history that is meant, and which messages it means. */
function filterOf(accountId: string, rows: readonly MessageRow[], asked: Partial<EveryFilter>) {
  const { someIds, send, createdAfterMs, createdBeforeMs, ...rest } = asked
  const beginMs = rows[0]!.created_at
  const filter: Partial<HistoryFilter> = {
    ...rest,
    ...(someIds !== undefined && { ids: someIds.map((i) => rows[i % rows.length]!.id) }),
    ...(send !== undefined && { sendId: `snd_${accountId}_${send}` }),
    ...(createdAfterMs !== undefined && { createdAfterMs: beginMs + createdAfterMs - 1 }),
    ...(createdBeforeMs !== undefined && { createdBeforeMs: beginMs + createdBeforeMs }),
  }
  const is = (value: unknown, wanted: unknown): boolean => wanted === undefined || value === wanted
  const means = (row: MessageRow): boolean =>
    (filter.ids?.includes(row.id) ?? true) &&
    (filter.statuses?.includes(row.status) ?? true) &&
    is(row.send_id, filter.sendId) &&
    is(row.client_reference, filter.clientReference) &&
    is(row.direction, filter.direction) &&
    is(row.category, filter.category) &&
    is(row.device_id, filter.deviceId) &&
    is(row.recipient, filter.to) &&
    is(row.sender, filter.from) &&
    is(row.country, filter.country) &&
    is(row.key_id, filter.keyId) &&
    (filter.text === undefined || row.text === 'Hello') &&
    row.created_at >= (filter.createdAfterMs ?? 0) &&
    row.created_at < (filter.createdBeforeMs ?? Infinity)
  return { filter, means }
}

test(
  'by change, with whatever filters, the pages show each message as it is at the end, and no change twice',
  { timeout: 60_000 },
  async () => {
    const script = fc.record({
      shapes: fc.array(shape, { minLength: 3, maxLength: 12 }),
      asked: wish,
      limit: fc.integer({ min: 1, max: 4 }),
      units: fc.array(nextUnit, { maxLength: 12 }),
    })
    await fc.assert(
      fc.asyncProperty(script, async ({ shapes, asked, limit, units }) => {
        const accountId = `acc_${++runs}`
        const rows = await storeSends(accountId, shapes)
        const { filter, means } = filterOf(accountId, rows, asked)
        const left = units.values()
        const { rows: shown } = await walkHistory(base.storage, {
          owner: { accountId, mode: ada.mode },
          query: { ...filter, updatedAfterMs: 1 },
          limit,
          async between() {
            const { value: next } = left.next()
            if (next === undefined) return
            await base.clock.advance(next.ms)
            await change([...new Set(next.changed.map((i) => rows[i % rows.length]!))], next.lateMs)
          },
        })
        const told = shown.map(({ id, sequence }) => `${id} ${sequence}`)
        expect(new Set(told).size).toBe(told.length)
        const known = new Map(shown.map(({ id, sequence }) => [id, sequence]))
        const wanted = rows.filter(means)
        expect(wanted.filter(({ id, sequence }) => known.get(id) !== sequence)).toEqual([])
        const settled = shown.filter((row) => !isInFlight(row)).map(({ updated_at }) => updated_at)
        expect(settled).toEqual(settled.toSorted((one, other) => one - other))
      }),
      { numRuns: 250 },
    )
  },
)

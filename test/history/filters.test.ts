import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { HistoryQuery } from '../../src/messages/history/history-query.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import {
  ada,
  deliveredAt,
  failedAt,
  idsOf,
  store,
  storedMessage,
  waitingAt,
  walkHistory,
} from './stored-messages.ts'

const numbers = ['+4915112345678', '+4915112345679', '+14155550123']
const references = [null, 'order-1', 'order-2']
const texts = ['Hello', 'Your code: 4711', '100%_off', 'a\\b']
let base: TestStorage
let rows: MessageRow[]

beforeAll(async () => {
  base = await openTestStorage()
  rows = await storeEverything(base)
})
afterAll(() => base.close())

/** 180 messages of one owner in 60 sends, in every state and shape that a filter can tell apart, and the same of two strangers. */
async function storeEverything({ storage, clock, ids }: TestStorage): Promise<MessageRow[]> {
  const mine: MessageRow[] = []
  const foreign: MessageRow[] = []
  for (let i = 0; i < 60; i++) {
    await clock.advance(i % 4 === 0 ? 0 : 7)
    const sendId = ids('snd')
    keyOfSend.set(sendId, keyOf(i))
    const created_at = clock.now()
    const send = [0, 1, 2].map((k): MessageRow => {
      const shape = i * 3 + k
      const settledAt = created_at + ((shape * 37) % 90)
      return storedMessage({
        id: ids('msg'),
        created_at,
        send_id: sendId,
        recipient: numbers[k] as string,
        sender: shape % 5 === 0 ? 'Acme' : null,
        country: k === 2 ? 'US' : 'DE',
        category: shape % 7 === 0 ? 'authentication' : 'transactional',
        direction: 'outbound',
        client_reference: references[i % 3] as string | null,
        text: texts[shape % 4] as string,
        ...(shape % 3 === 0
          ? {
              ...failedAt(settledAt, shape % 2 === 0 ? 'unreachable' : 'device_error'),
              device_id: deviceOf(shape),
            }
          : shape % 11 < 3
            ? waitingAt(settledAt, shape % 11 === 0 ? null : deviceOf(shape))
            : { ...deliveredAt(settledAt), device_id: deviceOf(shape) }),
      })
    })
    const range = { first_message_id: send[0]?.id as string, last_message_id: send[2]?.id as string }
    await storage.writer.write((tx) =>
      insertRows(tx, 'sends', [
        {
          account_id: ada.accountId,
          id: sendId,
          mode: ada.mode,
          key_id: keyOf(i),
          ...range,
          smart_encoding_applied: 0,
          created_at,
        },
      ]),
    )
    mine.push(...send)
    const strangers = [{ account_id: 'acc_bob' }, { mode: 'test' as const }]
    foreign.push(...strangers.map((other) => ({ ...(send[0] as MessageRow), ...other, id: ids('msg') })))
  }
  await store(storage, [...mine, ...foreign])
  return mine
}

const deviceOf = (shape: number): string => (shape % 4 === 0 ? 'dev_2' : 'dev_1')

const keyOf = (send: number): string => (send % 2 === 0 ? 'key_1' : 'usr_1')

const byChange = (a: MessageRow, b: MessageRow): number =>
  a.updated_at - b.updated_at || (a.id < b.id ? -1 : 1)

const keyOfSend = new Map<string, string>()
const holds = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())

/** What history means, in memory. */
function expected(query: Partial<HistoryQuery>): string[] {
  const is = (column: keyof MessageRow, value: unknown) => (row: MessageRow) =>
    value === undefined || value === null || row[column] === value
  const found = rows
    .filter((row) => (query.ids ?? []).length === 0 || query.ids?.includes(row.id))
    .filter((row) => (query.statuses ?? []).length === 0 || query.statuses?.includes(row.status))
    .filter(is('send_id', query.sendId))
    .filter(is('client_reference', query.clientReference))
    .filter(is('error_code', query.errorCode))
    .filter(is('direction', query.direction))
    .filter(is('category', query.category))
    .filter(is('device_id', query.deviceId))
    .filter(is('recipient', query.to))
    .filter(is('sender', query.from))
    .filter(is('country', query.country))
    .filter((row) => holds(row.text ?? '', query.text ?? ''))
    .filter((row) => (query.keyId ?? keyOfSend.get(row.send_id ?? '')) === keyOfSend.get(row.send_id ?? ''))
    .filter(
      (row) =>
        row.created_at >= (query.createdAfterMs ?? 0) &&
        row.created_at < (query.createdBeforeMs ?? Number.MAX_SAFE_INTEGER),
    )
    .filter((row) => row.updated_at >= (query.updatedAfterMs ?? 0))
  if (query.updatedAfterMs !== undefined && query.updatedAfterMs !== null)
    return idsOf(found.toSorted(byChange))
  return query.order === 'asc' ? idsOf(found) : idsOf(found.toReversed())
}

const anInstant = () => fc.nat(70).map((i) => (rows[0] as MessageRow).created_at + i * 7 - 10)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 })
const anyQuery = () =>
  fc.record({
    ids: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      fc.uniqueArray(fc.constantFrom(...idsOf(rows), 'msg_01k9ktqv1hfm3se9a0x5rtb8vq'), { maxLength: 100 }),
    ),
    sendId: maybe(
      fc.constantFrom(...rows.map((row) => row.send_id as string), 'snd_01k9ktqv1gfx8r4z6m2d7cwn5e'),
    ),
    clientReference: maybe(fc.constantFrom('order-1', 'order-2', 'nobody’s')),
    statuses: fc.subarray(['delivered', 'failed', 'queued', 'sending'] as const),
    errorCode: maybe(fc.constantFrom('unreachable', 'device_error')),
    direction: maybe(fc.constantFrom('outbound', 'inbound')),
    category: maybe(fc.constantFrom('transactional', 'authentication')),
    deviceId: maybe(fc.constantFrom('dev_1', 'dev_2')),
    to: maybe(fc.constantFrom(...numbers)),
    from: maybe(fc.constant('Acme')),
    country: maybe(fc.constantFrom('DE', 'US')),
    text: maybe(fc.constantFrom('hello', 'CODE', '0%_', '%', '_', '\\', 'x')),
    keyId: maybe(fc.constantFrom('key_1', 'usr_1', 'key_9')),
    createdAfterMs: maybe(anInstant()),
    createdBeforeMs: maybe(anInstant()),
    updatedAfterMs: maybe(anInstant()),
    order: fc.constantFrom('asc' as const, 'desc' as const),
  })

test(
  'every combination of filters gives exactly what it means, in its order, whatever the size of a page',
  { timeout: 60_000 },
  async () => {
    const all = {
      ids: [],
      sendId: null,
      clientReference: null,
      statuses: [],
      errorCode: null,
      direction: null,
      category: null,
      deviceId: null,
      to: null,
      from: null,
      country: null,
      text: null,
      keyId: null,
      createdAfterMs: null,
      createdBeforeMs: null,
      updatedAfterMs: null,
    } as const
    const sparse = fc.tuple(
      anyQuery(),
      fc.subarray(Object.keys(all) as (keyof typeof all)[], { maxLength: 3 }),
    )
    await fc.assert(
      fc.asyncProperty(sparse, fc.integer({ min: 1, max: 100 }), async ([query, kept], limit) => {
        const asked = {
          ...all,
          order: query.order,
          ...Object.fromEntries(kept.map((name) => [name, query[name]])),
        } as Partial<HistoryQuery>
        const { rows: found } = await walkHistory(base.storage, { query: asked, limit })
        expect(idsOf(found)).toEqual(expected(asked))
      }),
      { numRuns: 150 },
    )
  },
)

test('what belongs to another account or to the other mode is simply absent', async () => {
  const foreign = await base.storage.read
    .selectFrom('messages')
    .select('id')
    .where('account_id', '=', 'acc_bob')
    .execute()
  expect(foreign).toHaveLength(60)

  const { rows: found } = await walkHistory(base.storage, { query: { ids: idsOf(foreign).slice(0, 10) } })

  expect(found).toEqual([])
})

test('a send of another account is empty', async () => {
  const sendId = rows[0]?.send_id as string
  const { rows: found } = await walkHistory(base.storage, {
    owner: { accountId: 'acc_bob', mode: 'live' },
    query: { sendId },
  })
  expect(found).toEqual([])
})

test('what changed of one send is found among its messages alone', async () => {
  const sendId = rows[0]?.send_id as string
  const query: Partial<HistoryQuery> = { sendId, updatedAfterMs: 1 }
  const { rows: found } = await walkHistory(base.storage, { query })
  expect(found.length).toBeGreaterThan(0)
  expect(idsOf(found)).toEqual(expected(query))
})

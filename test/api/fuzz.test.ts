import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setAccountLimits } from '../../src/accounts/core/accounts.ts'
import { renderOpenApi } from '../../src/api/reference/openapi.ts'
import type { DocumentedOperation } from '../../src/api/reference/openapi-document.ts'
import { operations } from '../../src/api/v1/operations.ts'
import { readConfig } from '../../src/config.ts'
import { messageErrorCodes } from '../../src/messages/core/message-errors.ts'
import { openAccount } from '../../src/app/open-account.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { type Fuzz, fuzzOperation } from './fuzz-operation.ts'
import { HeardWords } from './heard-words.ts'
import { startTestApi, type TestApi } from './start-test-api.ts'

/** Requests made from our own reference, right, near to right and hostile: no 5xx, nothing that the reference does not name. */
const runs = sizeOf('FUZZ_REQUESTS') / 4
const plentySms = 1_000_000_000

let api: TestApi
/** Live and test key of an account that lacks nothing; live keys of one that has a single SMS and of one whose queue holds a single message. */
let keys: Record<string, string>
let heard: HeardWords
beforeAll(async () => {
  const noLimits = { sendPerMinute: 0, readPerMinute: 0, failedAuthPerMinute: 0, queueLimit: 0 }
  api = await startTestApi({ config: { ...noLimits, freeSms: plentySms, playSms: plentySms } })
  keys = {
    test: api.account.testKey,
    live: api.account.liveKey,
    poor: await openLimited('Poor', { freeSms: 1 }),
    narrow: await openLimited('Narrow', { freeSms: plentySms, queueLimit: 1 }),
  }
  const inAnHour = new Date(api.clock.now() + 3_600_000).toISOString()
  heard = new HeardWords({
    from: ['+4915199990001', 'Onesixty'],
    send_at: [inAnHour],
    error_code: messageErrorCodes,
    device_id: [api.ids('dev')],
  })
})
afterAll(() => api.close())

/** Opens an account and gives its live key. */
async function openLimited(
  name: string,
  { freeSms, queueLimit = 0 }: { freeSms: number; queueLimit?: number },
): Promise<string> {
  const { storage, ids, clock } = api
  const deps = { ids, nowMs: clock.now(), randomBytes, config: { ...readConfig({}), freeSms } }
  return storage.writer.write(async (tx) => {
    const opening = { name, email: `${name}@example.org`, actor: 'test' }
    const { accountId, liveKey } = await openAccount(tx, deps, opening)
    await setAccountLimits(tx, deps, { accountId, limits: { queueLimit }, actor: 'test' })
    return liveKey
  })
}

const fuzz = (
  operation: DocumentedOperation,
  look: Fuzz['look'] = () => undefined,
): Promise<Map<string, number>> =>
  fuzzOperation(operation, {
    runs,
    reference: renderOpenApi('http://localhost'),
    keys: { test: 12, live: 12, poor: 4, narrow: 4, nobody: 1 },
    heard,
    look,
    ask: (method, address, { key, headers, text }) =>
      api.request(method, address, {
        key: keys[key] ?? key,
        headers: { ...headers, ...(text !== null && { 'content-type': 'application/json' }) },
        ...(text !== null && { body: text }),
      }),
  })

/** The sends, made once for the tests that look at what came of them. */
let sends: ReturnType<typeof makeSends> | undefined
const allSends = (): ReturnType<typeof makeSends> => (sends ??= makeSends())

async function makeSends() {
  const count = { stored: 0, replayed: 0, withoutBalance: 0, withoutRoom: 0 }
  const kinds = await fuzz(operations.send, (key, { status, headers, body }) => {
    if (status === 202) count[headers.has('idempotent-replayed') ? 'replayed' : 'stored']++
    // With a live key no number plays these answers.
    if (key === 'poor' && body.code === 'insufficient_balance') count.withoutBalance++
    if (key === 'narrow' && body.code === 'queue_full') count.withoutRoom++
  })
  return { kinds, count }
}

test(
  'sends made from the reference are answered as it says, and one in ten is stored anew',
  async () => {
    const { kinds, count } = await allSends()
    expect(kinds.size).toBeGreaterThan(6)
    expect(count.stored, 'answered with 202 and stored').toBeGreaterThan(runs / 10)
    expect(count.replayed, 'answered with 202 once more').toBeGreaterThan(0)
    expect(count.withoutBalance, 'refused for want of SMS').toBeGreaterThan(0)
    expect(count.withoutRoom, 'refused for want of room in the queue').toBeGreaterThan(0)
  },
  endAfter(60_000),
)

test(
  'questions about history made from the reference are answered as it says, and read messages that were stored',
  async () => {
    await allSends()
    let rows = 0
    const kinds = await fuzz(operations.history, (_, { status, body }) => {
      if (status === 200) rows += body.data.length
    })
    expect(kinds.size).toBeGreaterThan(3)
    expect(rows, 'messages on all pages').toBeGreaterThan(runs)
  },
  endAfter(60_000),
)

test(
  'questions about the status made from the reference are answered as it says',
  async () => {
    expect((await fuzz(operations.status)).size).toBeGreaterThan(3)
  },
  endAfter(60_000),
)

test(
  'questions about the balance made from the reference are answered as it says',
  async () => {
    expect((await fuzz(operations.balance)).size).toBeGreaterThan(3)
  },
  endAfter(60_000),
)

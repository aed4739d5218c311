import { afterAll, beforeEach, expect, test } from 'vitest'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { cancelMessages } from '../../src/messages/queue/cancel-messages.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import type { SendRequest, SendResult } from '../../src/messages/send/send-request.ts'
import { units } from '../../src/messages/units.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type NearStore, openNearStore } from '../near-store.ts'
import { startInstance } from '../open-test-storage.ts'
import { statementsOf } from '../plans.ts'
import { sendRequest } from '../send-request.ts'
import { accepted } from './outcomes.ts'
import { createStubClock, type StubClock } from '../stub-clock.ts'

/** A unit that changes no message takes no number and writes nothing (decision 62); one that does takes one, however many it changes. */
const store: NearStore = await openNearStore(0)
let clock: StubClock
beforeEach(async () => {
  store.clear()
  clock = createStubClock()
  const [nowMs, ids] = [clock.now(), createIds(clock)]
  await store.writer.write(async (tx) => {
    await startInstance(tx, nowMs)
    for (const [id, state] of [['acc_a', 'active'], ['acc_paused', 'suspended'], ['acc_closed', 'closed']] as const) {
      await insertRows(tx, 'accounts', [{ id, name: id, state, created_at: nowMs, updated_at: nowMs }])
      await openWallets(tx, { ids, nowMs }, { accountId: id, freeSms: 10, playSms: 0, lowThreshold: 0, actor: 'test' })
    }
  })
}) // prettier-ignore
afterAll(() => store.close())

const send = (...requests: Partial<SendRequest>[]): Promise<SendResult[]> => {
  const ids = createIds(clock)
  const asked = requests.map((more) => sendRequest({ ids, nowMs: clock.now() }, more))
  return store.writer.write((tx) => units.sendMessages(tx, asked))
}

/** How many rows a unit writes, and how many numbers it takes. */
async function costOf(unit: () => Promise<unknown>): Promise<{ rows: number; numbers: number }> {
  const last = async () => (await store.db.selectFrom('change_lanes').select('last_change').executeTakeFirst())?.last_change ?? 0
  const [rows, number] = [store.changes(), await last()]
  await unit()
  return { rows: store.changes() - rows, numbers: (await last()) - number }
} // prettier-ignore

const nothing = { rows: 0, numbers: 0 }
const key = { idempotency: { key: 'k', fingerprint: 'f' } }

test.for([
  ['above the balance', { parts: 11 }, 'insufficient_balance'],
  ['into a full queue', { queueLimit: 1 }, 'queue_full'],
  ['above the daily limit of its key', { dailyCap: 1, parts: 2 }, 'rate_limited'],
  ['of a suspended account', { accountId: 'acc_paused' }, 'account_suspended'],
  ['of a closed account', { accountId: 'acc_closed' }, 'invalid_token'],
] as const)('a send %s is refused and writes nothing', async ([, more, code]) => {
  await send({})
  let results: SendResult[] = []
  expect(await costOf(async () => void (results = await send(more)))).toEqual(nothing)
  expect(results).toMatchObject([{ kind: 'refused', code }])
})

test('a send that is repeated under its key writes nothing, also beside one that is refused', async () => {
  await send(key)
  let results: SendResult[] = []
  expect(await costOf(async () => void (results = await send(key, { parts: 11 })))).toEqual(nothing)
  expect(results.map(({ kind }) => kind)).toEqual(['replayed', 'refused'])
})

test('a batch of which one is accepted takes one number, and so does one of which all are', async () => {
  await send(key)
  expect(await costOf(() => send(key, { parts: 11 }, {}))).toMatchObject({ numbers: 1 })
  expect(await costOf(() => send({}, {}, {}))).toMatchObject({ numbers: 1 })
})

test('accepting a batch asks for its number once and stores it once', async () => {
  await send({})
  const ids = createIds(clock)
  const asked = [1, 2, 3].map(() => sendRequest({ ids, nowMs: clock.now() }))
  const statements = await store.writer.write((tx) => statementsOf(tx, () => units.sendMessages(tx, asked)))
  const ofNumber = statements.filter(({ sql }) => sql.includes('last_change'))
  expect(ofNumber.map(({ sql }) => sql.split(' ')[0])).toEqual(['select', 'update'])
})

test('nothing is written by a report that is told again, or by a cancellation that comes too late', async () => {
  await send({})
  const request = { accountId: 'acc_a', mode: 'live', routeKey: routeKeyOf({ mode: 'live', sender: null }), deviceId: 'dev_s', quota: 1, partsOver: 0, partsUpTo: 10 } as const // prettier-ignore
  const at = { nowMs: clock.now(), dueMs: clock.now(), fence: 1, known: 0 }
  const { claimed } = await store.writer.write((tx) => units.claim(tx, { requests: [request], ...at }))
  const report = () =>
    store.writer.write((tx) =>
      units.settleOutcomes(tx, [judgeOutcome(claimed[0]!, accepted('n1'), clock.now())]),
    )
  expect(await costOf(report)).toMatchObject({ numbers: 1 })
  expect(await costOf(report)).toEqual(nothing)
  const { messageId } = claimed[0]!
  const cancel = () =>
    store.writer.write(async (tx) => {
      const unit = await takeChange(tx, clock.now())
      return cancelMessages(tx, unit, [{ accountId: 'acc_a', mode: 'live', messageId }], 'canceled_by_user')
    })
  expect(await costOf(cancel)).toEqual(nothing)
})

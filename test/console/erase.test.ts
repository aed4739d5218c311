import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { type Claimed, claimMessages } from '../../src/messages/queue/claim-messages.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import { databaseFile } from '../../src/process/data-folder.ts'
import { sendRequest } from '../send-request.ts'
import { isPostgres } from '../test-database.ts'
import { tablesWith } from '../messages/every-cell.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { type ConsolePerson, startConsole, type TestConsole } from './start-console.ts'
import { changeOnDemand, takeChange } from '../../src/messages/core/change-number.ts'

let house: TestConsole
let operator: ConsolePerson
beforeAll(async () => {
  // Beside one that reads and one that writes, the log is emptied by threads.
  house = await startConsole({}, { onThreads: true })
  operator = await house.newPerson('Olga')
  await house.app.storage.writer.write((tx) =>
    tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', operator.userId).execute(),
  )
})
afterAll(() => house.stop())

const number = '+4915112345678'
const receive = (accountId: string, id: string) =>
  house.app.storage.writer.write((tx) =>
    tx
      .insertInto('messages')
      .values({
        account_id: accountId, mode: 'live', id, direction: 'inbound', status: 'received', recipient: '', sender: number, category: 'transactional',
        text: 'Hello', text_redacted: 0, encoding: 'gsm7', units: 5, parts: 1, parts_sent: 0, held: 0, charged: 0, cost_state: 'none', on_unknown: 'stop',
        attempts: 0, possible_duplicate: 0, metadata: '{}', created_at: 1, finalized_at: 1, settled_at: 1, updated_at: 1,
      })
      .execute(),
  ) // prettier-ignore
const textOf = async (id: string): Promise<string | null> =>
  (
    await house.app.storage.read
      .selectFrom('messages')
      .select('text')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).text

test('an owner erases a number of the own account alone; the operator of all', async () => {
  await receive(house.ada.accountId, 'msg_1')
  await receive(house.bob.accountId, 'msg_2')
  const own = await house.ada.change('history/erase-number', { number })
  expect(own.body).toEqual({ erased: 1, canceled: 0, inFlight: 0, isLogEmpty: isPostgres ? null : true })
  expect([await textOf('msg_1'), await textOf('msg_2')]).toEqual([null, 'Hello'])
  const all = await operator.change('operator/erase-number', { number })
  expect(all.body).toMatchObject({ erased: 1 })
  expect(await textOf('msg_2')).toBeNull()
})

/** PostgreSQL keeps its own log. */
const testOfLog = (name: string, run: () => Promise<void>): void => {
  // oxlint-disable-next-line vitest/expect-expect, vitest/no-conditional-tests, vitest/valid-title
  if (!isPostgres) test(name, run)
}

testOfLog('what is erased stands in the write-ahead log no more, which goes on', async () => {
  const log = () => readFile(`${databaseFile(house.dataFolder)}-wal`, 'latin1')
  await receive(house.ada.accountId, 'msg_3')
  expect(await log()).toContain(number)
  // While others write.
  const over = new AbortController()
  const writing = (async () => {
    for (let n = 0; !over.signal.aborted; n++) await receive(house.bob.accountId, `msg_5${n}`)
  })()
  expect(await house.ada.change('history/erase-number', { number })).toMatchObject({
    body: { isLogEmpty: true },
  })
  over.abort()
  await writing
  await house.bob.change('history/erase-number', { number })
  expect(await log()).not.toContain(number)
  await receive(house.ada.accountId, 'msg_4')
  expect(await textOf('msg_4')).toBe('Hello')
})

test('nobody erases what is not theirs, and what is no number is refused', async () => {
  const other = await house.bob.change('history/erase-number', { number }, { accountId: house.ada.accountId })
  expect(other.status).toBe(404)
  expect((await house.bob.change('operator/erase-number', { number })).status).toBe(404)
  expect((await house.ada.change('history/erase-number', { number: '0151 123' })).status).toBe(422)
})

const eraseAll = async (accountId: string, confirm: string) => {
  for (let i = 0; i < 20; i++) {
    const { status, body } = await operator.change('operator/erase-account', { accountId, confirm })
    if (status !== 200 || (body as { isFinished: boolean }).isFinished) return { status, body }
  }
  throw new Error('It was not finished.')
}

test('the operator erases an account with its people, whose sessions end; it is audited', async () => {
  const eve = await house.newPerson('Eve')
  await receive(eve.accountId, 'msg_3')
  expect((await eve.read('profile/read')).status).toBe(200)
  expect(await eraseAll(eve.accountId, 'Eve')).toMatchObject({
    status: 200,
    body: { erased: 1, step: 'name' },
  })
  expect(await textOf('msg_3')).toBeNull()
  const account = await house.app.storage.read
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', eve.accountId)
    .executeTakeFirst()
  expect(account).toMatchObject({ name: 'Erased account', state: 'closed' })
  const entry = await house.app.storage.read
    .selectFrom('audit_log')
    .selectAll()
    .where('account_id', '=', eve.accountId)
    .where('action', '=', 'account.erased')
    .executeTakeFirst()
  expect(entry).toMatchObject({ actor: operator.userId })
  expect((await eve.read('profile/read')).status).toBe(401)
})

test('an account is not erased without its exact name, nor one with an operator among its people', async () => {
  const wrong = await eraseAll(house.bob.accountId, 'bob')
  expect(wrong).toMatchObject({ status: 422 })
  const own = await eraseAll(operator.accountId, 'Olga')
  expect(own).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('an operator of this instance') },
  })
  const states = await house.app.storage.read
    .selectFrom('accounts')
    .select(['name', 'state'])
    .where('id', 'in', [house.bob.accountId, operator.accountId])
    .execute()
  expect(states.map(({ state }) => state)).toEqual(['active', 'active'])
})

test('an account is erased while hundreds of its messages are under way, and every sum holds', async () => {
  const { accountId, testKey } = await house.openAccount('Mara')
  const text = 'A secret of Mara'
  for (let i = 0; i < 3; i++) {
    const to = Array.from({ length: 100 }, (_, n) => `+49171888${40_000 + i * 100 + n}`)
    const answer = await house.client.send(testKey, { to, text })
    expect(answer.status).toBe(202)
  }
  expect(await eraseAll(accountId, 'Mara')).toMatchObject({ status: 200 })
  const { read } = house.app.storage
  expect(await tablesWith(read, ['49171888', text, 'mara@example.org'])).toEqual([])
  await expectSums(read, Date.now())
})

test('a piece in which a message is being handed over erases nothing and says so; the next goes on', async () => {
  const { accountId } = await house.openAccount('Nora')
  const claimed = await claimOne(accountId)
  const first = await operator.change('operator/erase-account', { accountId, confirm: 'Nora' })
  expect(first.body).toMatchObject({ step: 'hand_over', isFinished: false, erased: 0, inFlight: 1 })
  expect(await textOf(claimed.messageId)).toBe('Hello')
  const outcome = { kind: 'accepted', networkIds: ['n1'], receiptExpected: false } as const
  await house.app.storage.writer.write((tx) =>
    settleOutcomes(tx, [judgeOutcome(claimed, outcome, Date.now())], takeChange(tx, Date.now())),
  )
  expect(await eraseAll(accountId, 'Nora')).toMatchObject({ status: 200, body: { erased: 1 } })
  expect(await textOf(claimed.messageId)).toBeNull()
})

/** A live message, which no device of this house carries, in the hands of one that never answers. */
async function claimOne(accountId: string): Promise<Claimed> {
  const { read, writer } = house.app.storage
  const nowMs = Date.now()
  const ids = createIds({ now: Date.now })
  const request = sendRequest({ ids, nowMs }, { to: [number], accountId })
  const { epoch } = await read.selectFrom('instance').select('epoch').executeTakeFirstOrThrow()
  const want = {
    accountId,
    mode: 'live',
    routeKey: routeKeyOf({ mode: 'live', sender: null }),
    deviceId: 'dev_s',
  } as const
  const requests = [{ ...want, quota: 1, partsOver: 0, partsUpTo: 10 }]
  const { claimed } = await writer.write(async (tx) => {
    await sendMessages(tx, [request], takeChange(tx, nowMs))
    return claimMessages(
      tx,
      ids,
      { requests, nowMs, dueMs: Number.MAX_SAFE_INTEGER, fence: epoch },
      changeOnDemand(tx, nowMs),
    )
  })
  return claimed[0] as Claimed
}

import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { judgeOutcome } from '../../src/dispatch/retry-policy.ts'
import { type Claimed, claimMessages } from '../../src/messages/claim-messages.ts'
import { type AccountErasure, eraseAccount, erasedAccount } from '../../src/messages/erase-account.ts'
import type { InboundMessage } from '../../src/messages/inbound-message.ts'
import { routeKeyOf } from '../../src/messages/message-store.ts'
import { receiveMessages } from '../../src/messages/receive-messages.ts'
import { settleOutcomes } from '../../src/messages/settle-outcomes.ts'
import { advanceEpoch } from '../../src/storage/epoch.ts'
import { appendAudit } from '../../src/storage/audit-log.ts'
import type { Db } from '../../src/storage/dialect.ts'
import { readDirectoryVersion } from '../../src/storage/directory-version.ts'
import { insertRows } from '../../src/storage/sets.ts'
import type { Writer } from '../../src/storage/writer.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { tableNames, tablesWith, textColumnsWith } from './every-cell.ts'
import { expectSums } from './expect-sums.ts'
import { type FilledAccount, type Filling, fillAccount } from './filled-account.ts'

let base: TestStorage
let clock: TestStorage['clock']
let ids: TestStorage['ids']
let store: { db: Db; writer: Writer }
let accounts = 0
let shop: Filling
let beside: Filling
let traces: string[]
let filled: FilledAccount
let neighbour: FilledAccount
beforeAll(async () => {
  base = await openTestStorage()
  ;({ clock, ids } = base)
  store = { db: base.storage.read, writer: base.storage.writer }
  await advanceEpoch(base.storage, base.dataFolder, clock.now())
})
beforeEach(async () => {
  shop = words('zanzibar')
  beside = words('timbuktu')
  traces = [shop.mark, shop.number.slice(1), shop.number.slice(-7)]
  filled = await fill(shop)
  neighbour = await fill(beside)
})
afterAll(() => base.close())

/** Of each account its own, all of one length, so that none is a part of another. */
const words = (of: string): Filling => ({ mark: `${of}${1_000 + accounts}`, number: `+49151123${45_000 + accounts++}` }) // prettier-ignore
const fill = (filling: Filling) => fillAccount({ ...store, ids, now: clock.now }, filling)

const begin = (asked: { accountId?: string; confirm?: string } = {}) =>
  eraseAccount(
    { read: store.db, writer: store.writer, clock, ids, hold: (atMs, write) => write(async () => atMs) },
    { accountId: filled.accountId, confirm: filled.name, actor: 'usr_olga', ...asked },
  )

/** Goes on for so many transactions, to the end when no number is given. */
async function erase(most = Number.POSITIVE_INFINITY, asked?: Parameters<typeof begin>[0]) {
  const told: AccountErasure[] = []
  for await (const now of begin(asked)) if (told.push(now) >= most) break
  return told
}

/** Every row that names the account beside it, its people, devices or words. */
async function rowsBeside(): Promise<string[]> {
  const { accountId, userId, guestId, deviceId } = neighbour
  const found: string[] = []
  for (const name of await tableNames(store.db)) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(store.db)
    found.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`))
  }
  return found.filter((row) =>
    [accountId, userId, guestId, deviceId, beside.mark, beside.number].some((each) => row.includes(each)),
  )
}

/** What no person, program, phone or network writes into: ids, words of closed lists, hashes of random tokens. */
const wordless = [
  /^\w+\.(id|\w+_id|mode|state|status|kind|purpose|role|hash|\w+_hash)$/,
  /^(attempts|messages)\.(cost_state|direction|category|encoding|on_unknown|error_code|outcome|country)$/,
  /^attempts\.network_ids$/,
  /^auth_users\.(createdAt|updatedAt)$|^auth_\w+\.(createdAt|updatedAt|expiresAt|lockedUntil|userId|providerId)$/,
  /^auth_credentials\.(accessToken|refreshToken|idToken|accessTokenExpiresAt|refreshTokenExpiresAt|scope)$/,
  /^api_keys\.scopes$|^audit_log\.action$|^ledger_entries\.actor$|^one_time_links\.hash$/,
  /^devices\.lease_owner$|^opt_outs\.origin$|^inbound_fragments\.country$|^phone_offers\.recall$|^queue\.claimed_by$/,
  /^deferred(_totals)?\.reason$|^accounts\.countries$/,
  // Tokens of the operator, and what a request of one was.
  /^operator_tokens\.|^operator_requests\.fingerprint$|^alerts\.subject$|^alert_mails\.phase$/,
  // How far a move is, is deleted at its end.
  /^move_progress\.(last_key|table_name)$|^moves\.(direction|place)$/,
  /^webhook_\w+\.(type|previous_status|cost_state|error_code|disabled_because|outcome)$/,
  /^instance\.cluster$|^nodes\.name$|^traffic(_times)?\.(grain|measure)$|^messages\.send_id$|^server_runs\./,
]

test('the account that is erased here has words in every column that takes any', async () => {
  const all = await textColumnsWith(store.db, null)
  const withWords = await textColumnsWith(store.db, traces)
  const expected = all.filter((place) => !wordless.some((form) => form.test(place)))
  expect(expected.filter((place) => !withWords.includes(place))).toEqual([])
  expect(withWords.length).toBeGreaterThan(50)
  await expectSums(store.db, clock.now())
})

test('nothing of an account is left in any cell, every sum holds, and the account beside it is as it was', async () => {
  const before = await rowsBeside()
  expect(before.length).toBeGreaterThan(40)
  const told = await erase()
  expect(told.at(-1)).toMatchObject({ step: 'name', isFinished: true, erased: 7, canceled: 2, handedOver: 0 })
  expect(await tablesWith(store.db, traces)).toEqual([])
  expect(await rowsBeside()).toEqual(before)
  await expectSums(store.db, clock.now())
})

test('counts, costs and times stay, and the account is known as erased', async () => {
  const numbers = () =>
    store.db
      .selectFrom('messages')
      .select(['id', 'parts', 'charged', 'created_at', 'sent_at', 'delivered_at'])
      .where('account_id', '=', filled.accountId)
      .orderBy('id')
      .execute()
  const granted = () =>
    store.db
      .selectFrom('ledger_entries')
      .select(['id', 'kind', 'sms', 'created_at'])
      .where('account_id', '=', filled.accountId)
      .orderBy('id')
      .execute()
  const before = [await numbers(), await granted()]
  await erase()
  expect([await numbers(), await granted()]).toEqual(before)
  const account = await store.db
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', filled.accountId)
    .executeTakeFirst()
  expect(account).toMatchObject({ name: erasedAccount, state: 'closed' })
  const last = await store.db
    .selectFrom('audit_log')
    .selectAll()
    .where('account_id', '=', filled.accountId)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  expect(last).toMatchObject({ action: 'account.erased', actor: 'usr_olga', detail: '{}' })
})

test('people of no other account are erased; who is elsewhere too stays there with name and address', async () => {
  const guest = () => store.db.selectFrom('users').selectAll().where('id', '=', filled.guestId).executeTakeFirst() // prettier-ignore
  const before = await guest()
  await erase()
  const person = await store.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', filled.userId)
    .executeTakeFirst()
  expect(person).toMatchObject({ name: 'Erased person', email: `${filled.userId}@erased.invalid` })
  expect(await guest()).toEqual(before)
  const memberships = await store.db
    .selectFrom('account_users')
    .selectAll()
    .where('user_id', 'in', [filled.userId, filled.guestId])
    .execute()
  expect(memberships.map(({ account_id }) => account_id)).not.toContain(filled.accountId)
  expect(memberships.length).toBe(1)
})

test('who has an address that ends like an erased one stays in the audit log and keeps the invitation', async () => {
  const email = `not-${shop.mark}@example.org`
  await store.writer.write(async (tx) => {
    const entry = { accountId: null, actor: email, action: 'invitation_link.used', detail: { email } }
    await appendAudit(tx, { ids, nowMs: 1 }, entry)
    const detail = { userId: 'usr_other', email, actor: filled.userId }
    await appendAudit(tx, { ids, nowMs: 1 }, { ...entry, actor: filled.userId, detail })
    await insertRows(tx, 'one_time_links', [
      { id: 'lnk_1', hash: 'x'.repeat(64), purpose: 'invitation', email, actor: 'cli', created_at: 1, expires_at: 2 },
    ]) // prettier-ignore
  })
  await erase()
  expect(await tablesWith(store.db, [email])).toEqual(['audit_log', 'one_time_links'])
  const told = await store.db.selectFrom('audit_log').select('actor').where('action', '=', 'invitation_link.used').where('detail', 'like', `%"${email}"%`).orderBy('id').execute() // prettier-ignore
  expect(told.map(({ actor }) => actor)).toEqual([email, filled.userId])
})

test('nobody gets in any more: keys and private tokens are revoked, devices retired, and every node is told', async () => {
  const version = () => readDirectoryVersion(store.db)
  let before = 0
  for await (const { step } of begin()) if (step === 'audit_log') before = await version()
  expect(await version()).toBeGreaterThan(before)
  const ofAccount = (table: 'api_keys' | 'phone_tokens') =>
    store.db.selectFrom(table).select('revoked_at').where('account_id', '=', filled.accountId).execute()
  const revoked = [...(await ofAccount('api_keys')), ...(await ofAccount('phone_tokens'))]
  expect(revoked).toEqual([{ revoked_at: clock.now() }, { revoked_at: clock.now() }])
  const device = await store.db
    .selectFrom('devices')
    .select(['state', 'name'])
    .where('id', '=', filled.deviceId)
    .executeTakeFirst()
  expect(device).toEqual({ state: 'retired', name: 'Erased device' })
})

test('it may be cut off after any transaction: sums hold, and the next run ends it', async () => {
  const whole = (await erase()).length
  expect(whole).toBeGreaterThan(12)
  for (let cut = 1; cut < whole; cut++) {
    filled = await fill({ ...shop, mark: `${shop.mark}after${cut}` })
    expect((await erase(cut)).at(-1)).toMatchObject({ isFinished: false })
    await expectSums(store.db, clock.now())
    expect((await erase()).at(-1)).toMatchObject({ isFinished: true })
  }
  expect(await tablesWith(store.db, traces)).toEqual([])
  // Some thirty runs, on PostgreSQL a second each where other work goes on.
}, 90_000)

test('asked again by its new name it finds what has come since, and nothing else', async () => {
  await erase()
  const again = await erase(undefined, { confirm: erasedAccount })
  expect(again).toMatchObject([{ step: 'name', isFinished: true, erased: 0, canceled: 0 }])
})

const claimWaiting = () =>
  store.writer.write(async (tx) => {
    const want = { accountId: filled.accountId, mode: 'live', deviceId: filled.deviceId } as const
    const room = { routeKey: routeKeyOf('live', shop.mark), quota: 1, partsOver: 0, partsUpTo: 10 }
    const at = { wants: [{ ...want, ...room }], nowMs: clock.now(), dueMs: clock.now(), fence: 1 }
    return (await claimMessages(tx, ids, at)).claimed[0] as Claimed
  })
const offer = ({ attemptId, messageId }: Claimed) =>
  store.writer.write(async (tx) => {
    const { accountId, deviceId } = filled
    const phone = await tx.selectFrom('phones').select('id').where('device_id', '=', deviceId).executeTakeFirstOrThrow() // prettier-ignore
    const row = {
      attempt_id: attemptId, device_id: deviceId, phone_id: phone.id, account_id: accountId, mode: 'live', message_id: messageId,
      attempt_number: 1, due_at: 1, offered_at: 1, last_offered_at: 1,
    } as const // prettier-ignore
    await insertRows(tx, 'phone_offers', [row])
  })
const stateOf = async () =>
  (
    await store.db
      .selectFrom('accounts')
      .select(['name', 'state'])
      .where('id', '=', filled.accountId)
      .executeTakeFirstOrThrow()
  ).state

test('while a message is being handed over the account is suspended, nothing is erased, and it says until when', async () => {
  const claimed = await claimWaiting()
  await offer(claimed)
  const told = await erase(3)
  const finalBy = claimed.expiresAt + 3 * 3_600_000
  expect(told.map(({ step, handedOver }) => [step, handedOver])).toEqual([
    ['hand_over', 1],
    ['hand_over', 1],
    ['hand_over', 1],
  ])
  expect(told[0]?.finalBy).toBe(finalBy)
  expect(await stateOf()).toBe('suspended')
  const asked = await store.db
    .selectFrom('phone_offers')
    .select(['recall', 'recalled_at'])
    .where('account_id', '=', filled.accountId)
    .execute()
  expect(asked, 'the phone is asked to let go').toEqual([{ recall: 'move', recalled_at: clock.now() }])
  expect(await tablesWith(store.db, [`Hello ${shop.mark}`])).toContain('messages')
})

test('it goes on by itself once what was being handed over is final', async () => {
  const claimed = await claimWaiting()
  let isSettled = false
  for await (const now of begin()) {
    if (now.handedOver === 0 || isSettled) continue
    isSettled = true
    const outcome = { kind: 'accepted', networkIds: ['n9'], receiptExpected: false } as const
    await store.writer.write((tx) => settleOutcomes(tx, [judgeOutcome(claimed, outcome, clock.now())]))
  }
  expect(await tablesWith(store.db, traces)).toEqual([])
  const kept = await store.db.selectFrom('messages').selectAll().where('id', '=', claimed.messageId).executeTakeFirst() // prettier-ignore
  expect(kept).toMatchObject({ status: 'sent', charged: 1 })
})

test('what comes in at the last moment is erased before the name goes', async () => {
  let hasCome = false
  for await (const { step } of begin()) {
    if (step !== 'audit_log' || hasCome) continue
    hasCome = true
    await store.writer.write((tx) =>
      receiveMessages(tx, ids, [lateMessage()], { joinMs: 60_000, mostCharacters: 40_000 }),
    )
  }
  expect(hasCome).toBe(true)
  expect(await tablesWith(store.db, traces)).toEqual([])
})

const lateMessage = (): InboundMessage => ({
  deviceId: filled.deviceId, accountId: filled.accountId, mode: 'live', from: shop.number, to: '', country: 'DE', text: shop.mark,
  encoding: 'gsm7', units: 5, parts: 1, receivedAt: clock.now(), inReplyTo: null, fingerprint: 'late',
}) // prettier-ignore

test('without the exact name, with an operator among its people, or without an account nothing is changed', async () => {
  await expect(erase(1, { confirm: 'Shop' })).rejects.toThrow(/confirm it with its name exactly as it is: Shop zanzibar1/) // prettier-ignore
  await expect(erase(1, { accountId: 'acc_nobody' })).rejects.toThrow(/There is no account/)
  await store.writer.write((tx) =>
    tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', filled.guestId).execute(),
  )
  await expect(erase(1)).rejects.toThrow(/who operates this instance/)
  expect(await stateOf()).toBe('active')
})

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { erasedAccount } from '../../src/privacy/erase-account.ts'
import { appendAudit } from '../../src/storage/seam/audit-log.ts'
import { readDirectoryVersion } from '../../src/storage/seam/directory-version.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { tablesWith, textColumnsWith } from './every-cell.ts'
import { expectSums } from './expect-sums.ts'
import { type ErasureHouse, type ErasureStore, openErasureStore } from './erasure-house.ts'

let store: ErasureStore
let house: ErasureHouse
beforeAll(async () => {
  store = await openErasureStore()
})
beforeEach(async () => {
  house = await store.twoAccounts()
})
afterAll(() => store.close())

/** What no person, program, phone or network writes into: ids, words of closed lists, hashes of random tokens. */
const wordless = [
  /^\w+\.(id|\w+_id|mode|state|status|kind|purpose|role|hash|\w+_hash)$/,
  /^(attempts|messages)\.(cost_state|direction|category|encoding|on_unknown|error_code|outcome|country)$/,
  /^attempts\.network_ids$/,
  /^auth_users\.(createdAt|updatedAt)$|^auth_\w+\.(createdAt|updatedAt|expiresAt|lockedUntil|userId|providerId)$/,
  /^auth_credentials\.(accessToken|refreshToken|idToken|accessTokenExpiresAt|refreshTokenExpiresAt|scope)$/,
  /^api_keys\.scopes$|^audit_log\.action$|^ledger_entries\.actor$|^(one_time|email)_links\.hash$/,
  /^devices\.lease_owner$|^opt_outs\.origin$|^inbound_fragments\.country$|^phone_offers\.recall$|^account_keywords\.keyword$/,
  // Of an open attempt, whose message is erased when it has ended.
  /^attempts\.route_key$/,
  // IDs of devices and groups, digits of numbering plans, and words of closed lists.
  /^(ways|route_rules)\.stages$|^messages\.way$|^attempts\.why$|^devices\.destinations$/,
  /^deferred(_totals)?\.reason$|^accounts\.(countries|own_devices)$|^messages\.(paid_by|fallback)$/,
  // Of no account, and kept for a day; and the addresses of this server.
  /^reach_checks\.(opened_from|address)$|^nodes\.certificate$/,
  // IDs of devices, and codes.
  /^followers\.(excludes|reason)$|^canar(ies|y_runs)\.(from|to)_device$/,
  // Of ICU.
  /^sim_plans\.zone$/,
  // Named by the operator.
  /^device_groups\.name$/,
  // Tokens of the operator, and what a request of one was.
  /^operator_tokens\.|^operator_requests\.fingerprint$|^alerts\.subject$|^alert_mails\.phase$/,
  // How far a move is, is deleted at its end.
  /^move_progress\.(last_key|table_name)$|^moves\.(direction|place)$/,
  /^webhook_\w+\.(type|previous_status|cost_state|error_code|disabled_because|outcome)$/,
  /^message_changes\.messages$|^instance\.(cluster|secret_mark)$|^secret_marks\.mark$|^nodes\.name$|^traffic(_times)?\.(grain|measure)$|^messages\.send_id$|^server_runs\./,
]

test('the account that is erased here has words in every column that takes any', async () => {
  const all = await textColumnsWith(house.store.db, null)
  const withWords = await textColumnsWith(house.store.db, house.traces)
  const expected = all.filter((place) => !wordless.some((form) => form.test(place)))
  expect(expected.filter((place) => !withWords.includes(place))).toEqual([])
  expect(withWords.length).toBeGreaterThan(50)
  await expectSums(house.store.db, house.clock.now())
})

test('nothing of an account is left in any cell, every sum holds, and the account beside it is as it was', async () => {
  const before = await house.rowsBeside()
  expect(before.length).toBeGreaterThan(40)
  const told = await house.erase()
  expect(told.at(-1)).toMatchObject({ step: 'name', isFinished: true, erased: 7, canceled: 2, inFlight: 0 })
  expect(await tablesWith(house.store.db, house.traces)).toEqual([])
  expect(await house.rowsBeside()).toEqual(before)
  await expectSums(house.store.db, house.clock.now())
})

test('counts, costs and times stay, and the account is known as erased', async () => {
  const numbers = () =>
    house.store.db
      .selectFrom('messages')
      .select(['id', 'parts', 'charged', 'created_at', 'sent_at', 'delivered_at'])
      .where('account_id', '=', house.filled.accountId)
      .orderBy('id')
      .execute()
  const granted = () =>
    house.store.db
      .selectFrom('ledger_entries')
      .select(['id', 'kind', 'sms', 'created_at'])
      .where('account_id', '=', house.filled.accountId)
      .orderBy('id')
      .execute()
  const before = [await numbers(), await granted()]
  await house.erase()
  expect([await numbers(), await granted()]).toEqual(before)
  const account = await house.store.db
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', house.filled.accountId)
    .executeTakeFirst()
  expect(account).toMatchObject({ name: erasedAccount, state: 'closed' })
  const last = await house.store.db
    .selectFrom('audit_log')
    .selectAll()
    .where('account_id', '=', house.filled.accountId)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  expect(last).toMatchObject({ action: 'account.erased', actor: 'usr_olga', detail: '{}' })
})

test('people of no other account are erased; who is elsewhere too stays there with name and address', async () => {
  const guest = () =>
    house.store.db.selectFrom('users').selectAll().where('id', '=', house.filled.guestId).executeTakeFirst()
  const before = await guest()
  await house.erase()
  const person = await house.store.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', house.filled.userId)
    .executeTakeFirst()
  expect(person).toMatchObject({ name: 'Erased person', email: `${house.filled.userId}@erased.invalid` })
  expect(await guest()).toEqual(before)
  const memberships = await house.store.db
    .selectFrom('account_users')
    .selectAll()
    .where('user_id', 'in', [house.filled.userId, house.filled.guestId])
    .execute()
  expect(memberships.map(({ account_id }) => account_id)).not.toContain(house.filled.accountId)
  expect(memberships.length).toBe(1)
})

test('who has an address that ends like an erased one stays in the audit log and keeps the invitation', async () => {
  const email = `not-${house.shop.mark}@example.org`
  await house.store.writer.write(async (tx) => {
    const entry = { accountId: null, actor: email, action: 'invitation_link.used', detail: { email } }
    await appendAudit(tx, { ids: house.ids, nowMs: 1 }, entry)
    const detail = { userId: 'usr_other', email, actor: house.filled.userId }
    await appendAudit(tx, { ids: house.ids, nowMs: 1 }, { ...entry, actor: house.filled.userId, detail })
    await insertRows(tx, 'one_time_links', [
      { id: 'lnk_1', hash: 'x'.repeat(64), purpose: 'invitation', email, actor: 'cli', created_at: 1, expires_at: 2 },
    ]) // prettier-ignore
  })
  await house.erase()
  expect(await tablesWith(house.store.db, [email])).toEqual(['audit_log', 'one_time_links'])
  const told = await house.store.db
    .selectFrom('audit_log')
    .select('actor')
    .where('action', '=', 'invitation_link.used')
    .where('detail', 'like', `%"${email}"%`)
    .orderBy('id')
    .execute()
  expect(told.map(({ actor }) => actor)).toEqual([email, house.filled.userId])
})

test('nobody gets in any more: keys and private tokens are revoked, devices retired, and every node is told', async () => {
  const version = () => readDirectoryVersion(house.store.db)
  let before = 0
  for await (const { step } of house.begin()) if (step === 'audit_log') before = await version()
  expect(await version()).toBeGreaterThan(before)
  const ofAccount = (table: 'api_keys' | 'phone_tokens') =>
    house.store.db
      .selectFrom(table)
      .select('revoked_at')
      .where('account_id', '=', house.filled.accountId)
      .execute()
  const revoked = [...(await ofAccount('api_keys')), ...(await ofAccount('phone_tokens'))]
  expect(revoked).toEqual([{ revoked_at: house.clock.now() }, { revoked_at: house.clock.now() }])
  const device = await house.store.db
    .selectFrom('devices')
    .select(['state', 'name'])
    .where('id', '=', house.filled.deviceId)
    .executeTakeFirst()
  expect(device).toEqual({ state: 'retired', name: 'Erased device' })
})

test('it may be cut off after any transaction: sums hold, and the next run ends it', async () => {
  const whole = (await house.erase()).length
  expect(whole).toBeGreaterThan(12)
  for (let cut = 1; cut < whole; cut++) {
    house.filled = await house.fillAnother({ ...house.shop, mark: `${house.shop.mark}after${cut}` })
    expect((await house.erase(cut)).at(-1)).toMatchObject({ isFinished: false })
    await expectSums(house.store.db, house.clock.now())
    expect((await house.erase()).at(-1)).toMatchObject({ isFinished: true })
  }
  expect(await tablesWith(house.store.db, house.traces)).toEqual([])
  // Some thirty runs, on PostgreSQL a second each where other work goes on.
}, 90_000)

test('asked again by its new name it finds what has come since, and nothing else', async () => {
  await house.erase()
  const again = await house.erase(undefined, { confirm: erasedAccount })
  expect(again).toMatchObject([{ step: 'name', isFinished: true, erased: 0, canceled: 0 }])
})

test('without the exact name, with an operator among its people, or without an account nothing is changed', async () => {
  await expect(house.erase(1, { confirm: 'Shop' })).rejects.toThrow(
    /confirm with its exact name: Shop zanzibar1/,
  )
  await expect(house.erase(1, { accountId: 'acc_nobody' })).rejects.toThrow(/Account acc_nobody not found/)
  await house.store.writer.write((tx) =>
    tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', house.filled.guestId).execute(),
  )
  await expect(house.erase(1)).rejects.toThrow(/an operator of this instance/)
  expect(await house.stateOf()).toBe('active')
})

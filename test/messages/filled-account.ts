import { setAccountPlan } from '../../src/accounts/core/account-plan.ts'
import { createAccount } from '../../src/accounts/core/accounts.ts'
import { createApiKey } from '../../src/accounts/keys/api-keys.ts'
import type { Ids } from '../../src/runtime/ids.ts'
import { grantSms, openWallets } from '../../src/ledger/grants.ts'
import { writeJson } from '../../src/storage/tables/json-columns.ts'
import { keepUnmatched } from '../../src/messages/outcomes/unmatched-receipts.ts'
import { appendAudit } from '../../src/storage/seam/audit-log.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'
import { fillMessages } from './filled-messages.ts'
import type { Deps, FilledAccount, Filling } from './filling.ts'

/** An account as use makes it: every table that can name it holds the mark or the number, and every sum holds. */
export async function fillAccount(
  { writer, ids, now }: { writer: Writer; ids: Ids; now: () => number },
  { mark, number }: Filling,
): Promise<FilledAccount> {
  const deps: Deps = { ids, nowMs: now() }
  const filled = await writer.write((tx) => openFilled(tx, deps, { mark, number }))
  const { accountId } = filled
  await writer.write((tx) => setAccountPlan(tx, deps, { accountId, plan: mark, actor: 'cli' }))
  await writer.write((tx) => fillDevice(tx, deps, filled, mark))
  await writer.write((tx) => fillPeople(tx, deps, filled, mark))
  await writer.write((tx) => fillWebhooks(tx, deps, filled, { mark, number }))
  await writer.write((tx) => fillTraces(tx, deps, filled, { mark, number }))
  await fillMessages(writer, deps, filled, { mark, number })
  await writer.write((tx) => fillReports(tx, filled, mark))
  return filled
}

/** What a network said of a part can hold anything. */
async function fillReports(tx: Tx, { accountId }: FilledAccount, mark: string): Promise<void> {
  const reason = { code: 'unknown', networkCode: mark }
  await tx
    .updateTable('attempts')
    .set({
      part_reports: writeJson([{ ids: ['n1'], state: 'undelivered' as const, reason }]),
      plan_counts: writeJson({ number: mark, on: [] }),
    })
    .where('account_id', '=', accountId)
    .execute()
}

async function openFilled(tx: Tx, deps: Deps, { mark }: Filling): Promise<FilledAccount> {
  const terms = { freeSms: 100, playSms: 100, lowThreshold: 0, actor: 'cli' }
  const open = (account: { name: string; email: string }) =>
    createAccount(
      tx,
      { ...deps, openWallets: (inTx, accountId) => openWallets(inTx, deps, { accountId, ...terms }) },
      { ...account, actor: 'cli' },
    )
  const { accountId, userId } = await open({ name: `Shop ${mark}`, email: `${mark}@example.org` })
  const guest = await open({ name: 'Elsewhere', email: `guest-${deps.ids('usr').slice(-8)}@example.org` })
  await insertRows(tx, 'account_users', [{ account_id: accountId, user_id: guest.userId, role: 'member' }])
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count))
  await createApiKey(
    tx,
    { ...deps, randomBytes },
    { accountId, mode: 'live', name: `Key ${mark}`, actor: userId },
  )
  await tx
    .updateTable('api_keys')
    .set({ addresses: `["${mark}"]`, last_four: mark })
    .where('account_id', '=', accountId)
    .execute()
  const grant = { accountId, mode: 'live', sms: 5, kind: 'top_up', note: `Bill ${mark}` } as const
  await grantSms(tx, deps, { ...grant, requestKey: `pay-${mark}`, actor: userId })
  return { accountId, userId, guestId: guest.userId, deviceId: deps.ids('dev'), name: `Shop ${mark}` }
}

async function fillDevice(tx: Tx, { ids, nowMs }: Deps, filled: FilledAccount, mark: string): Promise<void> {
  const { accountId, deviceId } = filled
  const times = { created_at: nowMs, updated_at: nowMs }
  await insertRows(tx, 'devices', [
    {
      id: deviceId,
      account_id: accountId,
      mode: 'live',
      kind: 'android',
      name: `Phone ${mark}`,
      state: 'enabled',
      senders: `["${mark}"]`,
      settings: `{"host":"${mark}"}`,
      secrets: mark,
      ...times,
    },
  ])
  await insertRows(tx, 'device_reports', [
    {
      device_id: deviceId,
      status: 'online',
      reasons: `["${mark}"]`,
      body: `{"sims":"${mark}"}`,
      reported_at: nowMs,
    },
  ])
  await insertRows(tx, 'device_states', [
    { device_id: deviceId, from_at: nowMs, until_at: null, status: 'online', reasons: `["${mark}"]` },
  ])
  await insertRows(tx, 'device_samples', [{ device_id: deviceId, at: nowMs, network: mark }])
  await insertRows(tx, 'device_marks', [{ device_id: deviceId, name: mark, at: nowMs }])
  await insertRows(tx, 'unread_forms', [
    { device_id: deviceId, kind: 'word', form: mark, times: 1, first_at: nowMs, last_at: nowMs },
  ])
  await insertRows(tx, 'sim_plans', [
    { device_id: deviceId, sim: 1, numbers_per_month: 99, month_starts: 1, zone: 'UTC', ...times },
  ])
  await insertRows(tx, 'sim_numbers', [
    { device_id: deviceId, sim: 1, number_key: mark, day: 1, messages: 1 },
  ])
  const canary = ids('can')
  await insertRows(tx, 'canaries', [
    { id: canary, account_id: accountId, from_device: deviceId, to_device: deviceId, recipient: mark, sender: mark, every_ms: 1, next_at: nowMs, created_at: nowMs },
  ]) // prettier-ignore
  await insertRows(tx, 'canary_runs', [
    { id: ids('att'), canary_id: canary, from_device: deviceId, to_device: deviceId, code: mark, begun_at: nowMs, state: 'lost', reason: mark, network_id: `canary-${mark}`, plan_counts: writeJson({ number: mark, on: [] }) },
  ]) // prettier-ignore
  const [token, phone] = [ids('ptk'), ids('phn')]
  await insertRows(tx, 'phone_tokens', [
    { id: token, account_id: accountId, mode: 'live', hash: token, created_at: nowMs },
  ])
  await insertRows(tx, 'phones', [
    { id: phone, device_id: deviceId, token_id: token, token_hash: phone, hook_hash: phone, signing_key: mark, name: mark, sims: `["${mark}"]`, app_version: mark, uses_push: 0, ...times },
  ]) // prettier-ignore
}

async function fillPeople(tx: Tx, deps: Deps, { accountId, userId }: FilledAccount, mark: string) {
  const at = new Date(deps.nowMs).toISOString()
  const times = { createdAt: at, updatedAt: at }
  const expiresAt = at
  await insertRows(tx, 'auth_users', [
    { id: userId, name: mark, email: mark, emailVerified: 0, image: mark, ...times },
  ])
  await insertRows(tx, 'auth_sessions', [
    { id: mark, expiresAt, token: mark, ipAddress: mark, userAgent: mark, userId, ...times },
  ])
  await insertRows(tx, 'auth_credentials', [
    { id: mark, accountId: mark, providerId: 'credential', userId, password: mark, ...times },
  ])
  await insertRows(tx, 'auth_two_factors', [{ id: mark, secret: mark, backupCodes: mark, userId }])
  await insertRows(tx, 'passkeys', [
    { id: deps.ids('psk'), user_id: userId, credential_id: mark, public_key: mark, counter: 1, transports: mark, is_synced: 1, name: mark, created_at: deps.nowMs },
  ]) // prettier-ignore
  await insertRows(tx, 'auth_verifications', [
    { id: `${mark}-1`, identifier: `trust-${mark}`, value: userId, expiresAt, ...times },
    { id: `${mark}-2`, identifier: `reset-${userId}`, value: mark, expiresAt, ...times },
  ])
  const email = `${mark}@example.org`
  const link = { email, created_at: deps.nowMs, expires_at: deps.nowMs + 1, actor: mark }
  const hash = (kind: string) => `${kind}${mark}`.padEnd(64, '0')
  await insertRows(tx, 'one_time_links', [
    { ...link, id: deps.ids('lnk'), hash: hash('reset'), purpose: 'reset', user_id: userId, account_id: null, role: null },
    { ...link, id: deps.ids('lnk'), hash: hash('invited'), purpose: 'invitation', user_id: null, account_id: accountId, role: 'member' },
    { ...link, id: deps.ids('lnk'), hash: hash('opened'), purpose: 'invitation', user_id: null, account_id: null, role: null },
  ]) // prettier-ignore
  await insertRows(tx, 'email_links', [
    { id: deps.ids('lnk'), hash: hash('email'), user_id: userId, email, actor: mark, created_at: deps.nowMs, expires_at: deps.nowMs + 1 },
  ]) // prettier-ignore
  await insertRows(tx, 'alert_mutes', [{ user_id: userId, kind: 'balance_low' }])
  const former = `${mark}-formerly@example.org`
  const audited = { actor: userId, action: 'user.changed', detail: { userId, name: mark, email: former } }
  await appendAudit(tx, deps, { ...audited, accountId: null, actor: former, detail: { email: former } })
  await appendAudit(tx, deps, { ...audited, accountId: null })
  await appendAudit(tx, deps, { ...audited, accountId: null, actor: email, detail: { email } })
  await appendAudit(tx, deps, { ...audited, accountId })
  await appendAudit(tx, deps, { ...audited, accountId, actor: email, detail: {} })
}

/** Two endpoints, one that was rotated, and one event of each kind that was tried. */
async function fillWebhooks(tx: Tx, { ids, nowMs }: Deps, { accountId }: FilledAccount, filling: Filling) {
  const { number, mark } = filling
  const [id, event] = [ids('whk'), ids('evt')]
  const named = { account_id: accountId, endpoint_id: id, event_id: event }
  await insertRows(tx, 'webhook_endpoints', [
    { account_id: accountId, id, url: `https://${mark}.example.org`, mode: null, state: 'enabled', secret: mark, previous_secret: mark, previous_until: nowMs, failing_because: mark, older_secrets: `[{"secret":"${mark}","until":1}]`, created_at: nowMs, updated_at: nowMs },
  ]) // prettier-ignore
  await insertRows(tx, 'webhook_endpoint_types', [
    { account_id: accountId, endpoint_id: id, type: 'recipient.opted_out' },
    { account_id: accountId, endpoint_id: id, type: 'message.failed' },
  ])
  await insertRows(tx, 'webhook_events', [
    { account_id: accountId, id: event, type: 'recipient.opted_out', mode: 'live', at: nowMs, sequence: nowMs, correction: 0, facts: `{"word":"${mark}"}`, recipient: number },
  ]) // prettier-ignore
  await insertRows(tx, 'webhook_deliveries', [{ ...named, due_at: nowMs }])
  await insertRows(tx, 'webhook_attempts', [
    { ...named, token: 1, at: nowMs, duration_ms: 1, status: 500, failure: null, answer: `no ${mark}` },
    {
      ...named,
      token: 2,
      at: nowMs,
      duration_ms: 1,
      status: null,
      failure: `not_connected: ${mark}`,
      answer: null,
    },
  ])
}

async function fillTraces(
  tx: Tx,
  { ids, nowMs }: Deps,
  { accountId, userId, deviceId }: FilledAccount,
  filling: Filling,
) {
  const { number, mark } = filling
  const optOut = { account_id: accountId, mode: 'test', created_at: nowMs, forget_at: null } as const
  await insertRows(tx, 'opt_outs', [{ ...optOut, recipient: number }])
  await insertRows(tx, 'route_rules', [
    { id: ids('rul'), account_id: accountId, place: 1, name: mark, conditions: `{"from":["${mark}"]}`, stages: '[{"use":["own"]}]', created_at: nowMs, updated_at: nowMs },
  ]) // prettier-ignore
  const set = { account_id: accountId, language: `x-${mark}` }
  await insertRows(tx, 'account_keyword_sets', [
    { ...set, stop_answer: mark, help_answer: mark, updated_at: nowMs },
  ])
  await insertRows(tx, 'account_keywords', [{ ...set, word: mark, keyword: 'stop', written: mark }])
  const alert = {
    kind: 'device_offline',
    account_id: accountId,
    mode: 'live',
    name: mark,
    said: mark,
    ended_at: null,
  } as const
  await insertRows(tx, 'alerts', [{ ...alert, id: ids('alr'), subject: deviceId, began_at: nowMs }])
  const fingerprint = ''.padEnd(64, '0')
  const [told] = await tx.selectFrom('alerts').select('id').where('account_id', '=', accountId).execute()
  await insertRows(tx, 'alert_mails', [
    { alert_id: told?.id ?? '', phase: 'began', user_id: userId, due_at: nowMs, done_at: null },
  ])
  await insertRows(tx, 'operator_requests', [
    {
      request_key: mark,
      fingerprint,
      account_id: accountId,
      user_id: userId,
      is_new_user: 1,
      created_at: nowMs,
    },
  ])
  const word = { deviceId, networkId: mark, result: 'delivered', code: null, networkCode: mark } as const
  await keepUnmatched(tx, [{ ...word, numbers: [number.slice(1)], atMs: nowMs }])
}

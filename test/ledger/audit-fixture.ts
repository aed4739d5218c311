import { dayMs } from '../../src/runtime/clock.ts'
import { sql } from 'kysely'
import { type AuditCheck, ledgerChecks } from '../../src/ledger/ledger-audit.ts'
import { messageChecks } from '../../src/messages/audit/message-audit.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import type { Db, Tx } from '../../src/storage/seam/dialect.ts'
import type { MessageStatus } from '../../src/storage/tables/schema.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { isPostgres } from '../test-database.ts'
import { type AccountsFixture, openAccountsFixture } from '../accounts/accounts-fixture.ts'
import { storedMessage } from '../history/stored-messages.ts'
import { keepNumber, takeChange } from '../../src/messages/core/change-number.ts'

export const auditChecks: readonly AuditCheck[] = [...ledgerChecks, ...messageChecks]

export interface AuditFixture extends AccountsFixture {
  accountId: string
  /** Runs SQL as a mistake of the program would. */
  damage(statement: string): Promise<void>
  /** The names of the checks that find something. */
  broken(): Promise<string[]>
  /** The same after a mistake that is undone again. */
  brokenBy(mistake: string): Promise<string[]>
}

/** One account with a message in each place that the checks know: waiting, held after a restore, scheduled, held for quiet hours, claimed, with a phone, sent, delivered, failed, received. */
export async function openAuditFixture(): Promise<AuditFixture> {
  const fixture = await openAccountsFixture()
  const { storage, clock } = fixture
  const { accountId } = await fixture.addAccount()
  await storage.writer.write(async (tx) => {
    const unit = await takeChange(tx, clock.now())
    await keepNumber(tx, unit, [accountId])
    const nowMs = unit.atMs
    const message = (id: string, status: MessageStatus, row: Partial<MessageRow>): MessageRow =>
      storedMessage({
        account_id: accountId,
        id,
        status,
        created_at: nowMs,
        expires_at: nowMs + 60_000,
        ...row,
      })
    const done = { finalized_at: nowMs, settled_at: nowMs }
    const charged = {
      cost_state: 'charged',
      charged: 1,
      attempts: 1,
      device_id: 'dev_a',
      sent_at: nowMs,
      parts_sent: 1,
    } as const
    for (const row of [
      message('msg_waits', 'queued', {}),
      message('msg_kept', 'queued', {}),
      message('msg_later', 'scheduled', { send_at: nowMs + 30_000 }),
      message('msg_quiet', 'queued', {}),
      message('msg_claimed', 'queued', {}),
      message('msg_phone', 'queued', {}),
      message('msg_sent', 'sent', { ...charged, receipt_expected: 1 }),
      message('msg_delivered', 'delivered', { ...charged, ...done, delivered_at: nowMs }),
      message('msg_failed', 'failed', { ...done, cost_state: 'released', attempts: 1 }),
      message('msg_in', 'received', {
        ...done,
        direction: 'inbound',
        held: 0,
        cost_state: 'none',
        expires_at: null,
      }),
    ])
      await insertRows(tx, 'messages', [row])
    const place = {
      route_key: 'live:',
      account_id: accountId,
      priority: 1,
      due_at: nowMs,
      mode: 'live',
      parts: 1,
      expires_at: nowMs + 60_000,
    } as const
    await insertRows(tx, 'queue', [
      { ...place, message_id: 'msg_waits', restore_hold: 0 },
      { ...place, message_id: 'msg_kept', restore_hold: 1 },
    ])
    await insertRows(tx, 'queue_totals', [
      { account_id: accountId, mode: 'live', route_key: 'live:', messages: 2, parts: 2, next_expiry_at: 0 },
    ])
    const { due_at: _, ...deferred } = place
    await insertRows(tx, 'deferred', [
      { ...deferred, message_id: 'msg_later', reason: 'scheduled', wake_at: nowMs + 30_000 },
      { ...deferred, message_id: 'msg_quiet', reason: 'quiet_hours', wake_at: nowMs + 20_000 },
    ])
    await insertRows(
      tx,
      'deferred_totals',
      (['scheduled', 'quiet_hours'] as const).map((reason) => ({
        account_id: accountId,
        mode: 'live' as const,
        reason,
        messages: 1,
        parts: 1,
      })),
    )
    const attempt = {
      account_id: accountId,
      mode: 'live',
      number: 1,
      fence: 1,
      state: 'handing_over',
      started_at: nowMs,
      route_key: 'live:',
      due_at: nowMs,
      refusals: 0,
    } as const
    await insertRows(tx, 'attempts', [
      { ...attempt, message_id: 'msg_claimed', id: 'att_a', device_id: 'dev_a' },
      { ...attempt, message_id: 'msg_phone', id: 'att_p', device_id: 'dev_p' },
    ])
    await addPhone(tx, accountId, nowMs)
    await addPlan(tx, nowMs)
    await insertRows(tx, 'receipts_expected', [
      {
        network_id: 'n1',
        device_id: 'dev_a',
        account_id: accountId,
        mode: 'live',
        message_id: 'msg_sent',
        attempt_number: 1,
        wire_parts: 1,
        sent_at: nowMs,
        closed_at: null,
      },
    ])
    await countTraffic(tx, accountId, nowMs)
    await addEndpoint(tx, accountId, nowMs)
    await tx
      .updateTable('wallets')
      .set({ reserved: 6, used: 3, used_archived: 1 })
      .where('mode', '=', 'live')
      .execute()
    await insertRows(tx, 'usage_days', [{ account_id: accountId, mode: 'live', day: 20_000, parts: 3 }])
  })
  const brokenIn = async (db: Db): Promise<string[]> => {
    const at = { nowMs: clock.now(), receiptWindowMs: 72 * 3_600_000 }
    const found = await Promise.all(auditChecks.map((check) => check.find(db, at)))
    return auditChecks.filter((_, i) => found[i]?.length !== 0).map((check) => check.name)
  }
  return {
    ...fixture,
    accountId,
    damage: (statement) => storage.writer.write((tx) => damageIn(tx, statement)),
    broken: () => brokenIn(storage.read),
    async brokenBy(mistake) {
      let broken: string[] = []
      const undone = storage.writer.write(async (tx) => {
        for (const statement of mistake.split('; ')) await damageIn(tx, statement)
        broken = await brokenIn(tx)
        throw new Undo()
      })
      await undone.catch((error: unknown) => {
        if (!(error instanceof Undo)) throw error
      })
      return broken
    },
  }
}

/** What the messages of the fixture come to, and one that was removed. */
async function countTraffic(tx: Tx, accountId: string, nowMs: number): Promise<void> {
  const counts = { accepted: 10, received: 1, sent: 1, delivered: 1, failed: 1, undelivered: 1 }
  for (const [grain, sizeMs, archived] of [
    ['hours6', 21_600_000, 1],
    ['minutes5', 300_000, 0],
  ] as const) {
    const place = { account_id: accountId, mode: 'live', grain, bucket: nowMs - (nowMs % sizeMs) } as const
    await insertRows(tx, 'traffic', [{ ...place, ...counts, archived }])
    await insertRows(tx, 'traffic_times', [{ ...place, measure: 'to_delivered', step: 3, messages: 1 }])
  }
}

/** An endpoint that is still to be told of one event, and was told of another. */
async function addEndpoint(tx: Tx, accountId: string, nowMs: number): Promise<void> {
  await insertRows(tx, 'webhook_endpoints', [
    { account_id: accountId, id: 'whk_a', url: 'https://a.example', state: 'enabled', secret: 'sealed', created_at: nowMs, updated_at: nowMs },
  ]) // prettier-ignore
  const event = { account_id: accountId, type: 'webhook.test', mode: 'test', at: nowMs, sequence: nowMs, correction: 0, facts: '{}' } as const // prettier-ignore
  await insertRows(
    tx,
    'webhook_events',
    ['evt_1', 'evt_2'].map((id) => ({ ...event, id })),
  )
  const delivery = { account_id: accountId, endpoint_id: 'whk_a', due_at: nowMs }
  await insertRows(tx, 'webhook_deliveries', [
    { ...delivery, event_id: 'evt_1', outcome: null, closed_at: null },
    { ...delivery, event_id: 'evt_2', outcome: 'delivered', closed_at: nowMs },
  ])
}

/** A phone with one message in its hands and one that it has done with. */
/** Of the SIM of the phone, as it has been for months. */
async function addPlan(tx: Tx, nowMs: number): Promise<void> {
  const sim = { device_id: 'dev_p', sim: 1 }
  const sinceMs = nowMs - 60 * dayMs
  await insertRows(tx, 'sim_plans', [
    { ...sim, parts_per_day: 10, parts_per_month: null, numbers_per_month: null, month_starts: 1, zone: 'UTC', created_at: sinceMs, updated_at: sinceMs },
  ]) // prettier-ignore
  await insertRows(tx, 'sim_usage', [
    { ...sim, day: Math.floor(nowMs / dayMs), parts: 1, messages: 1, numbers: 1 },
  ])
}

async function addPhone(tx: Tx, accountId: string, nowMs: number): Promise<void> {
  const times = { created_at: nowMs, updated_at: nowMs }
  await insertRows(tx, 'devices', [
    { id: 'dev_p', account_id: accountId, mode: 'live', kind: 'android', name: 'Phone', state: 'enabled', senders: '[]', settings: '{}', ...times },
  ]) // prettier-ignore
  await insertRows(tx, 'phone_tokens', [
    { id: 'ptk_p', account_id: accountId, mode: 'live', hash: 'h', created_at: nowMs },
  ])
  await insertRows(tx, 'phones', [
    { id: 'phn_p', device_id: 'dev_p', token_id: 'ptk_p', token_hash: 'h', hook_hash: 'h', signing_key: 'k', name: 'p', sims: '[]', uses_push: 0, ...times },
  ]) // prettier-ignore
  const offer = {
    device_id: 'dev_p',
    phone_id: 'phn_p',
    account_id: accountId,
    mode: 'live',
    attempt_number: 1,
    offered_at: nowMs,
    last_offered_at: nowMs,
  } as const
  await insertRows(tx, 'phone_offers', [
    { ...offer, attempt_id: 'att_p', message_id: 'msg_phone', closed_at: null },
    { ...offer, attempt_id: 'att_done', message_id: 'msg_delivered', closed_at: nowMs },
  ])
}

class Undo extends Error {}

/** A mistake that the tables themselves refuse is planted past them: the checks must not rely on the tables. */
async function damageIn(tx: Tx, statement: string): Promise<void> {
  if (isPostgres) await dropChecks(tx)
  else await sql`pragma ignore_check_constraints = on`.execute(tx)
  await sql.raw(statement).execute(tx)
  if (!isPostgres) await sql`pragma ignore_check_constraints = off`.execute(tx)
}

/** PostgreSQL cannot be told to look away; a transaction that is undone has its checks again. */
const dropChecks = (tx: Tx): Promise<unknown> =>
  sql`do $$ declare at record; begin
    for at in select conrelid::regclass as held, conname from pg_constraint where contype = 'c' and conrelid <> 0 and connamespace = 'public'::regnamespace
    loop execute format('alter table %s drop constraint %I', at.held, at.conname); end loop;
  end $$`.execute(tx)

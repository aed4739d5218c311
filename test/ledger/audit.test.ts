import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { ledgerChecks, maxViolations } from '../../src/ledger/ledger-audit.ts'
import { type AuditFixture, auditChecks, openAuditFixture } from './audit-fixture.ts'

let fixture: AuditFixture
beforeEach(async () => {
  fixture = await openAuditFixture()
})
afterEach(() => fixture.close())

test('where everything is in order no check finds anything', async () => {
  expect(await fixture.broken()).toEqual([])
})

test('every check finds each of its planted mistakes', async () => {
  const planted: Record<string, string[]> = {
    granted_is_ledger: [
      `update wallets set granted = granted + 1 where mode = 'live'`,
      `delete from ledger_entries where mode = 'test'`,
    ],
    used_is_usage: [`update usage_days set parts = parts + 1`, `delete from usage_days`],
    wallets_in_bounds: [
      `update wallets set reserved = granted + 1 where mode = 'test'`,
      `update wallets set used_archived = used + 1 where mode = 'test'`,
    ],
    accounts_have_wallets: [
      `delete from ledger_entries where mode = 'test'; delete from wallets where mode = 'test'`,
    ],
    wallets_are_messages: [
      `update wallets set reserved = reserved - 1 where mode = 'live'`,
      `update wallets set used_archived = used_archived - 1 where mode = 'live'`,
      `delete from messages where id = 'msg_delivered'`,
    ],
    costs_are_consistent: [
      `update messages set cost_state = 'released', charged = 0 where id = 'msg_delivered'`,
      `update messages set cost_state = 'partial' where id = 'msg_delivered'`,
      `update messages set cost_state = 'held' where id = 'msg_failed'`,
      `update messages set charged = 1 where id = 'msg_failed'`,
      `update messages set held = 2 where id = 'msg_failed'`,
      `update messages set held = 1 where id = 'msg_in'`,
      `update messages set direction = 'inbound' where id = 'msg_failed'`,
    ],
    totals_are_queue: [
      `update queue_totals set messages = messages + 1`,
      `update queue_totals set parts = parts - 1`,
      `update deferred_totals set messages = messages + 1 where reason = 'scheduled'`,
      `update deferred_totals set parts = parts - 1 where reason = 'quiet_hours'`,
      `delete from deferred_totals`,
      `delete from queue_totals`,
      `insert into queue_totals select account_id, mode, 'live:Shop', 1, 1, 0 from queue_totals`,
    ],
    waiting_is_queued: [
      `delete from queue where message_id = 'msg_waits'`,
      `insert into queue select route_key, account_id, 0, due_at, message_id, mode, parts, expires_at, 0, 0 from queue where message_id = 'msg_waits'`,
      `update messages set status = 'failed' where id = 'msg_waits'`,
      `update queue set message_id = 'msg_nowhere' where message_id = 'msg_waits'`,
      `update queue set parts = 2 where message_id = 'msg_waits'`,
      `update messages set status = 'sending' where id = 'msg_waits'`,
      `delete from attempts where message_id = 'msg_claimed'`,
      `update attempts set message_id = 'msg_waits' where id = 'att_a'`,
      `delete from deferred where message_id = 'msg_later'`,
      `delete from deferred where message_id = 'msg_quiet'`,
      `update deferred set message_id = 'msg_waits' where message_id = 'msg_quiet'`,
    ],
    routes_are_ways: [
      `update messages set way = 'nowhere123' where id = 'msg_waits'`,
      `update messages set way = 'nowhere123' where id = 'msg_waits'; update queue set route_key = 'live~nowhere123:' where message_id = 'msg_waits'`,
      `update messages set way = 'dev_a' where id = 'msg_later'`,
      `update messages set way = 'dev_a' where id = 'msg_claimed'`,
    ],
    scheduled_is_deferred: [
      `update messages set status = 'queued' where id = 'msg_later'`,
      `update messages set status = 'scheduled' where id = 'msg_waits'`,
      `update messages set send_at = send_at + 1 where id = 'msg_later'`,
      `update deferred set reason = 'scheduled' where message_id = 'msg_quiet'`,
    ],
    nothing_overdue: [
      `update messages set expires_at = expires_at - 10860001 where id = 'msg_waits'`,
      `update messages set expires_at = expires_at - 10860001 where id = 'msg_claimed'`,
      `update messages set sent_at = sent_at - 262800001 where id = 'msg_sent'`,
    ],
    final_has_time: [
      `update messages set finalized_at = null, settled_at = null where id = 'msg_delivered'`,
      `update messages set finalized_at = 1, settled_at = 1 where id = 'msg_waits'`,
      `update messages set receipt_expected = 0 where id = 'msg_sent'`,
      `update messages set settled_at = null where id = 'msg_failed'`,
    ],
    changes_are_numbered: [
      `update messages set updated_at = updated_at + 1 where id = 'msg_waits'`,
      `update change_lanes set last_change = last_change - 1000`,
    ],
    receipts_have_messages: [
      `update receipts_expected set message_id = 'msg_nowhere'`,
      `update receipts_expected set message_id = 'msg_waits'`,
    ],
    offers_are_attempts: [
      `delete from phone_offers where attempt_id = 'att_p'`,
      `update phone_offers set attempt_id = 'att_q' where attempt_id = 'att_p'`,
      `update phone_offers set message_id = 'msg_waits' where attempt_id = 'att_p'`,
      `update phone_offers set closed_at = null where attempt_id = 'att_done'`,
      `update attempts set state = 'accepted', ended_at = 1 where id = 'att_p'`,
    ],
    routes_are_purses: [
      `update messages set paid_by = 'own_device' where id = 'msg_waits'`,
      `update messages set paid_by = 'own_device' where id = 'msg_later'`,
      `update messages set paid_by = 'own_device' where id = 'msg_claimed'`,
      `update queue set route_key = 'live+own:' where message_id = 'msg_waits'`,
      `update attempts set route_key = 'live+ucs2+own!dev_a:Shop' where message_id = 'msg_claimed'`,
      `update deferred set route_key = 'live+own:' where message_id = 'msg_quiet'`,
      `update messages set paid_by = 'own_device', fallback = 'shared' where id = 'msg_failed'`,
    ],
    traffic_is_messages: [
      `update traffic set accepted = accepted + 1`,
      `update traffic set archived = 0`,
      `update traffic set sent = 0, delivered = 2`,
      `update traffic set failed = 3`,
      `update traffic set received = 0, accepted = 11`,
      `delete from traffic`,
      `update messages set status = 'expired' where id = 'msg_waits'`,
      `update messages set created_at = created_at - 21600000 where id = 'msg_waits'`,
    ],
    traffic_grains_agree: [
      `update traffic set failed = failed + 1 where grain = 'minutes5'`,
      `update traffic set bucket = bucket + 43200000 where grain = 'minutes5'`,
      `update traffic_times set step = step + 1 where grain = 'minutes5'`,
      `delete from traffic_times`,
    ],
    plans_not_over: [`update sim_usage set parts = parts + 500`, `update sim_usage set parts = -1`],
    deliveries_have_events: [
      `delete from webhook_events`,
      `delete from webhook_endpoints`,
      `update webhook_deliveries set event_id = 'evt_nowhere' where event_id = 'evt_1'`,
    ],
  }
  expect(Object.keys(planted)).toEqual(auditChecks.map((check) => check.name))

  for (const [name, mistakes] of Object.entries(planted)) {
    for (const mistake of mistakes) {
      expect({ mistake, broken: await fixture.brokenBy(mistake) }).toEqual({
        mistake,
        broken: expect.arrayContaining([name]),
      })
    }
  }
  // Nothing of it stayed.
  expect(await fixture.broken()).toEqual([])
})

test('what a restore holds back may be past its time', async () => {
  await fixture.damage(`update messages set expires_at = 1 where id = 'msg_kept'`)
  expect(await fixture.broken()).toEqual([])
})

test('a message is overdue three hours after its validity, and a receipt an hour after its window', async () => {
  await fixture.damage(
    `update messages set expires_at = ${fixture.clock.now() - 3 * 3_600_000} where id = 'msg_waits'`,
  )
  await fixture.damage(
    `update messages set sent_at = ${fixture.clock.now() - 73 * 3_600_000} where id = 'msg_sent'`,
  )
  expect(await fixture.broken()).toEqual([])
  fixture.clock.jumpWallClock(1)
  expect(await fixture.broken()).toEqual(['nothing_overdue'])
})

test('at whatever hour the doctor comes, it asks no five minutes of which the six hours are not compared', async () => {
  const check = auditChecks.find((one) => one.name === 'traffic_grains_agree')
  const eightDaysLater = fixture.clock.now() + 8 * dayMs
  for (let hour = -14; hour <= 2; hour++) {
    const at = { nowMs: eightDaysLater + hour * 3_600_000, receiptWindowMs: 0 }
    expect({ hour, found: await check?.find(fixture.storage.read, at) }).toEqual({ hour, found: [] })
  }
})

test('a check gives at most 20 rows, and says which', async () => {
  await fixture.damage(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 100)
    insert into queue_totals select account_id, mode, 'live:' || i, 1, 1, 0 from queue_totals, n`)
  const check = auditChecks.find((one) => one.name === 'totals_are_queue')
  const rows = (await check?.find(fixture.storage.read, { nowMs: 0, receiptWindowMs: 0 })) ?? []
  expect(rows).toHaveLength(20)
  expect(rows[0]).toMatchObject({ account_id: fixture.accountId, mode: 'live', counted: 1, messages: 0 })
})

test('a check names twenty rows at most', async () => {
  for (let i = 0; i <= maxViolations; i += 1)
    await fixture.addAccount({ name: `A${i}`, email: `a${i}@example.org` })
  const at = { nowMs: fixture.clock.now(), receiptWindowMs: 0 }
  for (const [name, ...mistakes] of [
    ['granted_is_ledger', `update wallets set granted = granted + 1`],
    ['used_is_usage', `update wallets set used = used + 1`],
    ['wallets_in_bounds', `update wallets set used_archived = used + 1`],
    ['accounts_have_wallets', `delete from ledger_entries`, `delete from wallets where mode = 'test'`],
  ] as const) {
    for (const mistake of mistakes) await fixture.damage(mistake)
    const check = ledgerChecks.find((each) => each.name === name)
    expect(await check?.find(fixture.storage.read, at), name).toHaveLength(maxViolations)
  }
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { nestedScans, statementsOf } from '../plans.ts'
import { type AuditFixture, auditChecks, openAuditFixture } from './audit-fixture.ts'

let fixture: AuditFixture
beforeEach(async () => {
  fixture = await openAuditFixture()
})
afterEach(() => fixture.close())

async function expectNoNestedScans(): Promise<void> {
  const { read } = fixture.storage
  for (const check of auditChecks) {
    const statements = await statementsOf(read, () =>
      check.find(read, { nowMs: fixture.clock.now(), receiptWindowMs: 1 }),
    )
    expect(statements).not.toEqual([])
    const nested = await nestedScans(fixture.dataFolder, ...statements)
    expect({ check: check.name, nested }).toEqual({ check: check.name, nested: [] })
  }
}

test('the reading of plans knows a nested scan when it sees one', async () => {
  const nested = 'select * from messages m, attempts a where m.created_at + 1 > a.started_at + 2'
  expect(await nestedScans(fixture.dataFolder, { sql: nested, parameters: [] })).toEqual([
    expect.stringMatching(/^SCAN (a|m|attempts|messages)\b/),
  ])
  const perRow =
    'select (select count(*) from attempts a where a.started_at + 1 < m.created_at) from messages m'
  expect(await nestedScans(fixture.dataFolder, { sql: perRow, parameters: [] })).toEqual([
    expect.stringMatching(/^SCAN (a|attempts)\b/),
  ])
  const once = 'select (select count(*) from attempts where started_at + 1 > 2) from messages'
  expect(await nestedScans(fixture.dataFolder, { sql: once, parameters: [] })).toEqual([])
})

test('no check reads a table once for each row of another, on fresh tables', async () => {
  await expectNoNestedScans()
})

test('nor on tables that were filled and analysed', async () => {
  await fixture.damage(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)
    insert into messages select account_id, mode, id || i, send_id, direction, status, recipient, sender, country, category, text, text_redacted,
      encoding, units, parts, parts_sent, held, charged, cost_state, on_unknown, device_id, receipt_expected, error_code, network_code, attempts,
      possible_duplicate, corrected, sequence, client_reference, metadata, created_at, send_at, expires_at, sent_at, delivered_at, finalized_at,
      settled_at, updated_at, encoding_forced, null, null, null, paid_by, null, null, null from messages, n where id in ('msg_waits', 'msg_delivered')`)
  await fixture.damage(`insert into queue select 'live:', account_id, 1, created_at, id, mode, parts, expires_at, 0, 0
    from messages where id like 'msg_waits%' and id <> 'msg_waits'`)
  await fixture.damage('analyze')
  await expectNoNestedScans()
})

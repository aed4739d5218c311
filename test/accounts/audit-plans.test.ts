import { DatabaseSync } from 'node:sqlite'
import type { CompiledQuery } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { databaseFile } from '../../src/storage/database.ts'
import { type AuditFixture, auditChecks, openAuditFixture } from './audit-fixture.ts'

let fixture: AuditFixture
beforeEach(async () => {
  fixture = await openAuditFixture()
})
afterEach(() => fixture.close())

/** The statements that a check runs. */
async function statementsOf(check: (typeof auditChecks)[number]): Promise<CompiledQuery[]> {
  const { read } = fixture.storage
  const executed = vi.spyOn(read.getExecutor(), 'executeQuery')
  await check.find(read, { nowMs: fixture.clock.now(), receiptWindowMs: 1 })
  const statements = executed.mock.calls.map(([statement]) => statement)
  executed.mockRestore()
  return statements
}

interface Step {
  id: number
  parent: number
  detail: string
}

/** Loops of one query that read a whole table for each row of another one. */
function nestedScans(steps: readonly Step[]): string[] {
  const loops = Map.groupBy(
    steps.filter(({ detail }) => /^(SCAN|SEARCH) /.test(detail)),
    (step) => step.parent,
  )
  return [...loops.values()]
    .flatMap((level) => level.slice(1).filter(({ detail }) => detail.startsWith('SCAN ')))
    .map((step) => step.detail)
}

async function expectNoNestedScans(): Promise<void> {
  const database = new DatabaseSync(databaseFile(fixture.dataFolder), { readOnly: true })
  for (const check of auditChecks) {
    const statements = await statementsOf(check)
    expect(statements).not.toEqual([])
    for (const { sql, parameters } of statements) {
      const steps = database
        .prepare(`explain query plan ${sql}`)
        .all(...(parameters as number[])) as unknown as Step[]
      expect({ check: check.name, nested: nestedScans(steps) }).toEqual({ check: check.name, nested: [] })
    }
  }
  database.close()
}

test('the reading of plans knows a nested scan when it sees one', () => {
  const database = new DatabaseSync(':memory:')
  database.exec('create table a (x); create table b (x)')
  const steps = database
    .prepare('explain query plan select * from a, b where a.x > b.x')
    .all() as unknown as Step[]
  expect(nestedScans(steps)).toEqual(['SCAN b'])
  database.close()
})

test('no check reads a table once for each row of another, on fresh tables', async () => {
  await expectNoNestedScans()
})

test('nor on tables that were filled and analysed', async () => {
  await fixture.damage(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)
    insert into messages select account_id, mode, id || i, send_id, direction, status, recipient, sender, country, category, text, text_redacted,
      encoding, units, parts, parts_sent, held, charged, cost_state, on_unknown, device_id, receipt_expected, error_code, network_code, attempts,
      possible_duplicate, corrected, sequence, client_reference, metadata, created_at, send_at, expires_at, sent_at, delivered_at, finalized_at,
      settled_at, updated_at, encoding_forced from messages, n where id in ('msg_waits', 'msg_delivered')`)
  await fixture.damage(`insert into queue select 'live:', account_id, 1, created_at, id, mode, parts, expires_at, updated_at, 0, null, 0
    from messages where id like 'msg_waits%' and id <> 'msg_waits'`)
  await fixture.damage('analyze')
  await expectNoNestedScans()
})

import { expect } from 'vitest'
import { ledgerChecks } from '../../src/ledger/ledger-audit.ts'
import { messageChecks } from '../../src/messages/audit/message-audit.ts'
import type { Db } from '../../src/storage/seam/dialect.ts'

/** What `doctor` proves, as of `nowMs`: every sum and every invariant between the tables. */
export async function expectSums(db: Db, nowMs: number, except: readonly string[] = []): Promise<void> {
  const at = { nowMs, receiptWindowMs: 72 * 3_600_000 }
  const broken: object[] = []
  for (const check of [...ledgerChecks, ...messageChecks]) {
    if (except.includes(check.name)) continue
    const violations = await check.find(db, at)
    if (violations.length > 0) broken.push({ check: check.name, violations })
  }
  expect(broken).toEqual([])
}

import { type AuditCheck, type AuditTime, ledgerChecks } from '../ledger/audit.ts'
import { messageChecks } from '../messages/audit.ts'
import { inSnapshot } from '../storage/database-file.ts'
import type { Db } from '../storage/dialect.ts'
import { compareMigrations } from '../storage/migration-state.ts'
import { examinePhones } from './doctor-phones.ts'
import { attempt, fine, type Finding, wrong } from './findings.ts'
import type { Toolbox } from './toolbox.ts'

/** What stands in a database of either kind: its schema, and, where that is ours, phones and sums. Of another the sums would say nothing. */
export async function examineContents(
  { config, clock }: Pick<Toolbox, 'config' | 'clock'>,
  db: Db,
  kind: 'sqlite' | 'postgres',
): Promise<Finding[]> {
  const schema = await examineSchema(db, kind)
  if (!schema.ok) return [schema]
  const at: AuditTime = { nowMs: clock.now(), receiptWindowMs: config.receiptWindowHours * 3_600_000 }
  return [schema, ...(await examinePhones(db, config)), ...(await examineSums(db, at))]
}

const examineSchema = (db: Db, kind: 'sqlite' | 'postgres'): Promise<Finding> =>
  attempt(
    'schema',
    'Run: onesixty migrate. If the database is newer than the program, use the newer program.',
    async () => {
      const { pending, unknown, changed } = await compareMigrations(db, kind)
      if (unknown.length > 0)
        throw new Error(`The database has ${unknown.join(', ')}, which this version does not know.`)
      if (pending.length > 0) throw new Error(`Not yet applied: ${pending.join(', ')}.`)
      if (changed.length > 0) throw new Error(`Was another when it was applied: ${changed.join(', ')}.`)
      return 'The schema is up to date.'
    },
  )

/** Everything that must hold between the tables, as of one instant. */
export const examineSums = (db: Db, at: AuditTime): Promise<Finding[]> =>
  inSnapshot(db, (snapshot) => addUp(snapshot, at))

/** The same where nobody writes. */
export async function addUp(db: Db, at: AuditTime): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of [...ledgerChecks, ...messageChecks]) findings.push(await examineSum(db, at, check))
  return findings
}

async function examineSum(db: Db, at: AuditTime, { name, says, find }: AuditCheck): Promise<Finding> {
  const remedy = 'Keep a backup and report this: it is a mistake of the program.'
  try {
    const violations = await find(db, at)
    return violations.length === 0
      ? fine(name, says)
      : { ...wrong(name, `Does not hold: ${says}`, remedy), violations }
  } catch (error) {
    return wrong(name, `Cannot be told: ${(error as Error).message}.`, 'Look at the checks above first.')
  }
}

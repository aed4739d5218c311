import type { MigrationState } from '../../storage/seam/compare-migrations.ts'
import { type CheckResult, runCheck } from '../core/check-result.ts'
import { ownCommand } from '../../process/own-command.ts'

/** Checks that the schema of a database is the one of this version. */
export const examineSchema = (compare: () => Promise<MigrationState>): Promise<CheckResult> =>
  runCheck(
    'schema',
    `Run ${ownCommand()} migrate. If the database is from a newer version, use that version.`,
    async () => {
      const { pending, unknown, changed } = await compare()
      if (unknown.length > 0) throw new Error(`Migrations of a newer version: ${unknown.join(', ')}.`)
      if (pending.length > 0) throw new Error(`Pending migrations: ${pending.join(', ')}.`)
      if (changed.length > 0)
        throw new Error(`Migrations changed after they were applied: ${changed.join(', ')}.`)
      return 'The schema is up to date.'
    },
  )

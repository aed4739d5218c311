import type { MigrationState } from '../storage/compare-migrations.ts'
import { attempt, type Finding } from './finding.ts'

/** Whether the schema of a database is the one that this program knows. */
export const examineSchema = (compare: () => Promise<MigrationState>): Promise<Finding> =>
  attempt(
    'schema',
    'Run: onesixty migrate. If the database is newer than the program, use the newer program.',
    async () => {
      const { pending, unknown, changed } = await compare()
      if (unknown.length > 0)
        throw new Error(`The database has ${unknown.join(', ')}, which this version does not know.`)
      if (pending.length > 0) throw new Error(`Not yet applied: ${pending.join(', ')}.`)
      if (changed.length > 0) throw new Error(`Was another when it was applied: ${changed.join(', ')}.`)
      return 'The schema is up to date.'
    },
  )

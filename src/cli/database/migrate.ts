import { command } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { readFileOrRefuse, readStdin } from '../core/read-secrets.ts'
import { checkSchema, parseKnownMigrations } from './check-schema.ts'

const listOf = { code: 'unreadable_migrations', what: 'a list of migrations' }

export const migrateCommand = command({
  summary: 'Upgrades the database schema, and creates the database when there is none.',
  details:
    'The server does the same at each start. Take a backup first: a schema cannot be downgraded. With --check it changes nothing and says whether the database fits: exit code 65 where it does not, as one of a newer version; any other failure means that it could not be compared.',
  arguments: [],
  options: {
    check: { type: 'flag', summary: 'Only compare the schema with the migrations of this version.' },
    known: {
      type: 'text',
      value: 'FILE',
      summary:
        'With --check: compare it with those of another version, from its package; - for standard input.',
    },
  },
  async run(tools, { options }) {
    if (options.known !== undefined && !options.check) throw new UsageError('--known is for --check.')
    if (options.check) {
      const { known } = options
      if (known === undefined) return checkSchema(tools, null)
      const text = await (known === '-' ? readStdin(tools.io, listOf) : readFileOrRefuse(known))
      return checkSchema(tools, parseKnownMigrations(text))
    }
    // Opening upgrades the schema under a lock: of two processes the second finds nothing to do.
    const applied = await tools.withStorage(async ({ migrated }) => migrated, { create: true })
    return {
      json: { applied },
      text: applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`,
    }
  },
})

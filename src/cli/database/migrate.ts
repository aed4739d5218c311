import { command } from '../core/command.ts'

export const migrateCommand = command({
  summary: 'Upgrades the database schema, and creates the database when there is none.',
  details: 'The server does the same at each start. Take a backup first: a schema cannot be downgraded.',
  arguments: [],
  options: {},
  async run(tools) {
    // Opening upgrades the schema under a lock: of two processes the second finds nothing to do.
    const applied = await tools.withStorage(async ({ migrated }) => migrated, { create: true })
    return {
      json: { applied },
      text: applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`,
    }
  },
})

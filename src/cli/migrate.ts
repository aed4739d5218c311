import { command } from './command.ts'

export const migrateCommand = command({
  summary: 'Brings the schema of the database up to date, and makes the database when there is none.',
  details:
    'The server does the same at each start. Take a backup first: there is no way back to an older version.',
  arguments: [],
  options: {},
  async run(tools) {
    // Opening is migrating, under a lock: of two processes the second finds nothing to do.
    const applied = await tools.withStorage(async ({ migrated }) => migrated, { create: true })
    return {
      json: { applied },
      text: applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`,
    }
  },
})

import { isThere } from '../durable-file.ts'
import { databaseFile } from '../storage/database.ts'
import { compareMigrations, openDatabaseFile } from '../storage/database-file.ts'
import { command } from './command.ts'

export const migrateCommand = command({
  summary: 'Brings the schema of the database up to date, and makes the database when there is none.',
  details:
    'The server does the same at each start. Take a backup first: there is no way back to an older version.',
  arguments: [],
  options: {},
  async run(tools) {
    const file = databaseFile(tools.config.dataFolder)
    const before = await appliedIn(file)
    // Opening is migrating, under a lock: of two processes the second finds nothing to do.
    const after = await tools.withStorage(() => appliedIn(file), { create: true })
    const applied = after.filter((name) => !before.includes(name))
    return {
      json: { applied },
      text: applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`,
    }
  },
})

async function appliedIn(file: string): Promise<string[]> {
  if (!(await isThere(file))) return []
  const opened = openDatabaseFile(file)
  try {
    return (await compareMigrations(opened.db)).applied
  } finally {
    await opened.close()
  }
}

import { tmpdir } from 'node:os'
import { type PostgresServer, startPostgres, withDatabase } from '../test/postgres-server.ts'
import { queryServer } from './server-process.ts'

/** What docs/scaling.md recommends for a machine of this size. */
const recommended = ['shared_buffers=1GB', 'max_wal_size=8GB', 'checkpoint_timeout=15min']

/** Creates a database with a name of its own, and returns its address. */
export type NewDatabase = () => Promise<string>

/** Returns what creates databases of a server: `prefix` and a number. */
export function newDatabasesOf({ url }: Pick<PostgresServer, 'url'>, prefix: string): NewDatabase {
  let made = 0
  return async () => {
    const name = `${prefix}_${++made}`
    await queryServer(url, `create database ${name}`)
    return withDatabase(url, name)
  }
}

/** A PostgreSQL from npm beside the servers that are measured, with further settings. It is on the disk, whose flushes count. */
export const startBenchPostgres = (settings: readonly string[] = []): Promise<PostgresServer> =>
  startPostgres(
    [...recommended, ...settings].flatMap((setting) => ['-c', setting]),
    tmpdir(),
  )

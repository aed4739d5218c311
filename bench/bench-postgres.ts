import { tmpdir } from 'node:os'
import { type PostgresServer, startPostgres } from '../test/postgres-server.ts'

/** What docs/scaling.md recommends for a machine of this size. */
const recommended = ['shared_buffers=1GB', 'max_wal_size=8GB', 'checkpoint_timeout=15min']

/** A PostgreSQL from npm beside the servers that are measured, with further settings. It is on the disk, whose flushes count. */
export const startBenchPostgres = (settings: readonly string[] = []): Promise<PostgresServer> =>
  startPostgres(
    [...recommended, ...settings].flatMap((setting) => ['-c', setting]),
    tmpdir(),
  )

import type pg from 'pg'
import { StorageError } from '../seam/dialect.ts'

/** The oldest version with which the queue and its plans were tested. */
const minVersion = 150_000

/** Otherwise a power cut could lose what was accepted with 202 (P1), or tear its pages. */
const needed: Readonly<Record<string, readonly string[]>> = {
  fsync: ['on'],
  full_page_writes: ['on'],
  synchronous_commit: ['on', 'remote_apply'],
  server_encoding: ['UTF8'],
}

/**
 * Rejects a server whose settings break a promise, and states what to change. Until then it counts as
 * unavailable.
 */
export async function refuseUnsafeServer(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any($1)',
    [['server_version_num', ...Object.keys(needed)]],
  )
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]))
  if (Number(settings.get('server_version_num')) < minVersion)
    throw refused('This PostgreSQL is older than 15. Use 15 or later.')
  const wrong = Object.entries(needed).flatMap(([name, values]) =>
    values.includes(settings.get(name) ?? '')
      ? []
      : [`${name} is ${settings.get(name)}, and must be ${values.join(' or ')}`],
  )
  if (wrong.length > 0)
    throw refused(
      `PostgreSQL runs with unsafe settings: ${wrong.join('; ')}. A power cut could lose accepted messages. Set them in postgresql.conf, or for this database with ALTER DATABASE … SET.`,
    )
}

export const clusterQuery =
  "select system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) as cluster from pg_control_system()"

const refused = (message: string): StorageError => new StorageError(message, 'unavailable', true)

/**
 * Returns which history of data this server writes: its identifier, and the timeline, which each recovery and
 * each promotion increments.
 */
export async function readCluster(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ cluster: string }>(clusterQuery)
  const [row] = rows
  if (row === undefined) throw new Error('PostgreSQL does not report its identity.')
  return row.cluster
}

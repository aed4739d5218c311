import type pg from 'pg'
import { readMigrations } from '../seam/migrate.ts'
import type { MoveTable } from '../tables/move-tables.ts'
import { asStorageError } from '../postgres/postgres-faults.ts'
import type { TableShape } from './table-shapes.ts'
import { ownCommand } from '../../process/own-command.ts'

/** Thrown for a database to which a move is not possible. `code` is for clients. */
export class WrongTargetError extends Error {
  override readonly name = 'WrongTargetError'
  readonly code: 'target_in_use' | 'newer_target' | 'other_version' | 'target_changed'

  constructor(code: WrongTargetError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Reserves the target for this move, as long as the connection lasts. Throws `WrongTargetError` and changes
 * nothing if the database contains anything but an unfinished move of `source` (or, if the source is already
 * marked, a finished one), has the schema of a newer version, or is the target of another process.
 */
export async function refuseWrongTarget(
  client: pg.ClientBase,
  shapes: readonly TableShape[],
  source: MoveTable | null,
): Promise<void> {
  try {
    await takeTarget(client)
    const tables = await readTables(client)
    const move = tables.has('moves') ? await readArrival(client) : null
    if (source?.finished_at) return refuseOther(move, source)
    if (tables.size === 0) return
    const known = new Set(['schema_migrations', 'moves', 'move_progress', ...shapes.map(({ name }) => name)])
    if (tables.has('schema_migrations')) await refuseOtherSchema(client)
    const foreign = [...tables].filter((name) => !known.has(name))
    if (foreign.length > 0) throw inUse(`the tables ${foreign.slice(0, 5).join(', ')}`)
    if (move?.isFinished === true) throw inUse(`what moved to it from ${move.place}`)
    if (move !== null && move.id !== source?.id)
      throw inUse(`an unfinished move of another database (${move.place})`)
    if (move === null)
      await refuseRows(
        client,
        [...tables].filter((name) => name !== 'schema_migrations'),
      )
  } catch (error) {
    throw error instanceof WrongTargetError ? error : asStorageError(error)
  }
}

const inUse = (what: string): WrongTargetError =>
  new WrongTargetError(
    'target_in_use',
    `The database contains ${what}. Move to an empty one: create database ….`,
  )

/** Checks the target of a source that is already marked: only the place in its mark is right. */
function refuseOther(move: Arrival | null, source: MoveTable): void {
  if (move?.id === source.id) return
  throw new WrongTargetError(
    'target_changed',
    `All data was moved to ${source.place}, but it is not there. Find that database, or restore a backup: ${ownCommand()} restore <file>.`,
  )
}

/**
 * A killed process can hold the lock for a second: the server checks each second whether its client is
 * connected.
 */
const session = { client_connection_check_interval: '1s', lock_timeout: '10s' }

/** Takes the lock for as long as the connection lasts. Its number differs from the lock of writers. */
async function takeTarget(client: pg.ClientBase): Promise<void> {
  for (const setting of Object.entries(session))
    await client.query('select set_config($1, $2, false)', [...setting])
  await client.query('select pg_advisory_lock(160160161)').catch((error: unknown) => {
    // lock_not_available (postgresql.org/docs/current/errcodes-appendix.html)
    if ((error as { code?: string }).code !== '55P03') throw error
    throw new WrongTargetError(
      'target_in_use',
      "Another process is moving to this database. Wait until it is done. If its machine is gone, close its connection: select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'onesixty move'.",
    )
  })
}

async function readTables(client: pg.ClientBase): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c
     where c.relnamespace = quote_ident(current_schema())::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition`,
  )
  return new Set(rows.map(({ name }) => name))
}

async function refuseOtherSchema(client: pg.ClientBase): Promise<void> {
  const known = new Map((await readMigrations('postgres')).map(({ name, checksum }) => [name, checksum]))
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by name',
  )
  const newer = rows.filter(({ name }) => !known.has(name)).map(({ name }) => name)
  if (newer.length > 0)
    throw new WrongTargetError(
      'newer_target',
      `The database has the schema of a newer version of onesixty (${newer.join(', ')}). Use that version for the move.`,
    )
  const changed = rows.filter(({ name, checksum }) => known.get(name) !== checksum).map(({ name }) => name)
  if (changed.length > 0)
    throw new WrongTargetError(
      'other_version',
      `The schema of the database was created by another version of onesixty (${changed.join(', ')}). Use that version, or an empty database.`,
    )
}

interface Arrival {
  id: string
  place: string
  isFinished: boolean
}

async function readArrival(client: pg.ClientBase): Promise<Arrival | null> {
  const { rows } = await client.query<{ id: string; place: string; finished_at: number | null }>(
    'select id, place, finished_at from moves',
  )
  const [row] = rows
  return row === undefined ? null : { id: row.id, place: row.place, isFinished: row.finished_at !== null }
}

async function refuseRows(client: pg.ClientBase, tables: readonly string[]): Promise<void> {
  if (tables.length === 0) return
  const each = tables.map((name) => `select '${name}' as name where exists (select 1 from "${name}")`)
  const { rows } = await client.query<{ name: string }>(each.join(' union all '))
  if (rows.length > 0)
    throw inUse(
      `rows in ${rows
        .map(({ name }) => name)
        .slice(0, 5)
        .join(', ')}`,
    )
}

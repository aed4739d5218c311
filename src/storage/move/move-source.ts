import { Kysely, sql } from 'kysely'
import type { Ids } from '../../runtime/ids.ts'
import { databaseFile } from '../../process/data-folder.ts'
import type { Db, Tx, Value } from '../seam/dialect.ts'
import { guardConnection } from '../sqlite/guarded-connection.ts'
import { refuseEmptiedFile } from '../instance/lost-database.ts'
import { migrate, readMigrations } from '../seam/migrate.ts'
import type { MoveTable } from '../tables/move-tables.ts'
import { movedSentence, voidCopy } from '../instance/moved.ts'
import type { Database } from '../tables/schema.ts'
import { SqliteConnection } from '../sqlite/sqlite-connection.ts'
import { sqliteDialect } from '../sqlite/sqlite-dialect.ts'
import type { TableShape } from './table-shapes.ts'
import { Writer } from '../seam/writer.ts'

/** The embedded database that is moved. The caller must hold the lock of its folder. */
export interface MoveSource {
  db: Db
  /** Returns the rows after `after`, in key order, at most `limit`. */
  readPage(shape: TableShape, after: readonly Value[] | null, limit: number): Value[][]
  countRows(shapes: readonly TableShape[]): Promise<number>
  close(): Promise<void>
}

/** Pages are read once, in order; the cache is for the inner pages of the indexes. */
const cacheKiB = 65_536

/** Opens the database and upgrades its schema, so that both sides have the same tables. */
export async function openMoveSource(
  { dataFolder, busyTimeoutMs }: { dataFolder: string; busyTimeoutMs: number },
  nowMs: number,
): Promise<MoveSource> {
  const file = databaseFile(dataFolder)
  const connection = new SqliteConnection({ file, readOnly: false, busyTimeoutMs, cacheKiB })
  const guarded = guardConnection(connection)
  const db = new Kysely<Database>({ dialect: sqliteDialect(guarded.executor) })
  try {
    // A moved database cannot be changed, and only needs to be identified.
    if (((await readDeparture(db))?.finished_at ?? null) === null) {
      await refuseEmptiedFile(db, dataFolder)
      const migrated = await migrate(new Writer(db), await readMigrations('sqlite'), nowMs)
      if (migrated.length > 0) await db.transaction().execute(voidCopy)
    }
  } catch (error) {
    connection.close()
    throw error
  }
  return {
    db,
    readPage(shape, after, limit) {
      const { rows = [] } = guarded.execute({
        op: 'all',
        sql: pageOf(shape, after !== null),
        values: [...(after ?? []), limit],
      })
      return rows as Value[][]
    },
    async countRows(shapes) {
      const counts = shapes.map(({ name }) => `select count(*) as amount from "${name}"`).join(' union all ')
      const { rows } = await sql<{ amount: number }>`${sql.raw(counts)}`.execute(db)
      return rows.reduce((sum, { amount }) => sum + amount, 0)
    },
    close: () => db.destroy(),
  }
}

const quoted = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ')

function pageOf({ name, columns, key }: TableShape, hasStart: boolean): string {
  const start = hasStart ? `where (${quoted(key)}) > (${key.map(() => '?').join(', ')}) ` : ''
  const all = quoted(columns.map((column) => column.name))
  return `select ${all} from "${name}" ${start}order by ${quoted(key)} limit ?`
}

/**
 * Returns where this database was moved, or is being moved; null if no move began, or if it predates moves.
 */
export async function readDeparture(db: Db | Tx): Promise<MoveTable | null> {
  const { rows } = await sql`select 1 from sqlite_master where name = 'moves'`.execute(db)
  if (rows.length === 0) return null
  return (await db.selectFrom('moves').selectAll().where('direction', '=', 'out').executeTakeFirst()) ?? null
}

/** Records that the move begins, and names the current state unless it has a name. Returns both names. */
export function beginDeparture(
  db: Db,
  { ids, place, nowMs }: { ids: Ids; place: string; nowMs: number },
): Promise<{ id: string; copyId: string }> {
  return db.transaction().execute(async (tx) => {
    const departure = await readDeparture(tx)
    const id = departure?.id ?? ids('mov')
    const copyId = departure?.copy_id ?? ids('mov')
    const row = {
      id,
      direction: 'out',
      place,
      copy_id: copyId,
      started_at: nowMs,
      finished_at: null,
    } as const
    await tx.deleteFrom('moves').where('id', '=', id).execute()
    await tx.insertInto('moves').values(row).execute()
    return { id, copyId }
  })
}

/**
 * Marks the database as moved and makes it read-only, even for processes that opened it before: each table
 * rejects changes with the sentence that names the new place.
 */
export async function endDeparture(
  tx: Tx,
  { dataFolder, nowMs }: { dataFolder: string; nowMs: number },
): Promise<void> {
  const { place } = await tx
    .updateTable('moves')
    .set({ finished_at: nowMs })
    .where('direction', '=', 'out')
    .returning('place')
    .executeTakeFirstOrThrow()
  const sentence = movedSentence(dataFolder, place, nowMs).replaceAll("'", "''")
  const tables = await sql<{
    name: string
  }>`select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'`.execute(
    tx,
  )
  for (const { name } of tables.rows) {
    for (const event of ['insert', 'update', 'delete'])
      await sql
        .raw(
          `create trigger "moved_${name}_${event}" before ${event} on "${name}" begin select raise(abort, '${sentence}'); end`,
        )
        .execute(tx)
  }
}

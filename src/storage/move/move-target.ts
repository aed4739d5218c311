import { hostname } from 'node:os'
import type pg from 'pg'
import type { Storage } from '../seam/storage.ts'
import { copyRows } from './copy-rows.ts'
import type { Value } from '../seam/dialect.ts'
import { markAsCopy } from '../instance/epoch.ts'
import type { MoveProgressTable, MoveTable } from '../tables/move-tables.ts'
import { refuseWrongTarget, WrongTargetError } from './move-target-check.ts'
import { createPostgresPool, type PostgresSettings } from '../postgres/postgres-client.ts'
import { openPostgres } from '../postgres/postgres-database.ts'
import { asStorageError } from '../postgres/postgres-faults.ts'
import type { TableShape } from './table-shapes.ts'

/** The database on a PostgreSQL server that a move fills. */
export class MoveTarget {
  readonly #pool: pg.Pool
  readonly #client: pg.PoolClient
  readonly #storage: Storage

  private constructor(pool: pg.Pool, client: pg.PoolClient, storage: Storage) {
    this.#pool = pool
    this.#client = client
    this.#storage = storage
  }

  /**
   * Connects and creates the tables. Throws `WrongTargetError` and changes nothing if the database contains
   * anything but an unfinished move of `source`, has a newer schema, or is the target of another process.
   */
  static async open(
    {
      settings,
      shapes,
      source,
    }: { settings: PostgresSettings; shapes: readonly TableShape[]; source: MoveTable | null },
    nowMs: number,
  ): Promise<MoveTarget> {
    const pool = createPostgresPool(settings, 1)
    try {
      const client = await pool.connect().catch((error: unknown) => {
        throw asStorageError(error)
      })
      try {
        await refuseWrongTarget(client, shapes, source)
        return new MoveTarget(pool, client, await openPostgres(settings, nowMs))
      } catch (error) {
        client.release()
        throw error
      }
    } catch (error) {
      await pool.end()
      throw error
    }
  }

  get db(): Storage['read'] {
    return this.#storage.read
  }

  /**
   * Returns the progress of each table. Rows of another state of the source are deleted: `isRestart` is then
   * true.
   */
  async begin(
    shapes: readonly TableShape[],
    move: { id: string; copyId: string; dataFolder: string; nowMs: number },
  ): Promise<{ progress: Map<string, MoveProgressTable>; isRestart: boolean }> {
    const [before] = await this.db.selectFrom('moves').selectAll().execute()
    const isRestart = before !== undefined && before.copy_id !== move.copyId
    if (isRestart) {
      const names = ['moves', 'move_progress', ...shapes.map(({ name }) => name)]
      await this.#query(`truncate ${names.map((name) => `"${name}"`).join(', ')}`)
    }
    if (before === undefined || isRestart) {
      const row = { id: move.id, direction: 'in', place: `${hostname()}:${move.dataFolder}`, copy_id: move.copyId } as const
      await this.#storage.writer.write(async (tx) => {
        // A server that starts here writes this row first, and rejects the database if the row of the move
        // exists.
        const started = await tx.selectFrom('instance').select('id').execute()
        if (started.length > 0) throw new WrongTargetError('target_in_use', 'A server was just started on this database. Stop it, and move to an empty database.')
        await tx.insertInto('move_progress').values(shapes.map(({ name }) => ({ table_name: name, last_key: null, copied_rows: 0, is_done: 0 as const }))).execute()
        await tx.insertInto('moves').values({ ...row, started_at: move.nowMs, finished_at: null }).execute()
      })
    }
    const rows = await this.db.selectFrom('move_progress').selectAll().execute()
    return { progress: new Map(rows.map((row) => [row.table_name, row])), isRestart }
  } // prettier-ignore

  /**
   * Adds a page, and stores in the same transaction where the next one begins. Returns the progress of the
   * table.
   */
  async addPage(
    shape: TableShape,
    before: MoveProgressTable,
    page: { rows: readonly Value[][]; isLast: boolean },
  ): Promise<MoveProgressTable> {
    const { rows } = page
    const last = rows.at(-1)
    const columns = shape.columns.map(({ name }) => name)
    const after: MoveProgressTable = {
      table_name: shape.name,
      last_key:
        last === undefined
          ? before.last_key
          : JSON.stringify(shape.key.map((column) => last[columns.indexOf(column)])),
      copied_rows: before.copied_rows + rows.length,
      is_done: page.isLast ? 1 : 0,
    }
    await this.#query('begin')
    try {
      if (rows.length > 0) await copyRows(this.#client, { table: shape.name, columns }, rows)
      const { rowCount } = await this.#query(
        'update move_progress set last_key = $1, copied_rows = $2, is_done = $3 where table_name = $4 and copied_rows = $5',
        [after.last_key, after.copied_rows, after.is_done, shape.name, before.copied_rows],
      )
      if (rowCount !== 1)
        throw new WrongTargetError('target_changed', 'Another process changed the database during the move.')
      await this.#query('commit')
    } catch (error) {
      await this.#query('rollback').catch(() => undefined)
      throw error
    }
    return after
  }

  /** Collects the planner statistics of every table. */
  async analyze(): Promise<void> {
    await this.#query('analyze')
  }

  /**
   * Finishes the move: from here on the database can be served. With `isRestored` its first start holds
   * queued messages. A second call is harmless.
   */
  async finish(nowMs: number, { isRestored }: { isRestored: boolean }): Promise<void> {
    await this.#storage.writer.write(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('moves')
        .set({ finished_at: nowMs })
        .where('finished_at', 'is', null)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return
      await tx.deleteFrom('move_progress').execute()
      if (isRestored) await markAsCopy(tx)
    })
  }

  async close(): Promise<void> {
    this.#client.release()
    await Promise.all([this.#pool.end(), this.#storage.close()])
  }

  async #query(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(text, [...values])
    } catch (error) {
      throw asStorageError(error)
    }
  }
}

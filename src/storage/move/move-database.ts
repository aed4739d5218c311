import type { Clock } from '../../runtime/clock.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Db, Tx, Value } from '../seam/dialect.ts'
import { wouldBeRestored } from '../instance/epoch.ts'
import { compareDatabases, type Difference, type NamedSums } from './move-check.ts'
import {
  beginDeparture,
  endDeparture,
  type MoveSource,
  openMoveSource,
  readDeparture,
} from './move-source.ts'
import { MoveTarget } from './move-target.ts'
import { MovedError, movedSentence } from '../instance/moved.ts'
import type { PostgresSettings } from '../postgres/postgres-client.ts'
import { readTableShapes, type TableShape } from './table-shapes.ts'

export interface MoveDeps {
  clock: Pick<Clock, 'now'>
  ids: Ids
  dataFolder: string
  busyTimeoutMs: number
  /** Called at the beginning, after each page, and at each new step. */
  onProgress(progress: MoveProgress): void
  /** Returns the names of the sums that are wrong in a database. */
  findBrokenSums(db: Db): Promise<string[]>
}

export interface MoveProgress {
  step: 'counting' | 'restarting' | 'copying' | 'analyzing' | 'comparing' | 'adding up'
  table: string | null
  /** Over all tables, including rows copied by earlier runs. */
  rows: { copied: number; total: number }
}

export interface MoveResult {
  /** True if a previous run had moved everything. */
  wasDone: boolean
  tables: number
  rows: number
  sums: NamedSums
  /** Sums that are wrong on both sides: the move neither caused nor repaired that. */
  brokenSums: readonly string[]
  /**
   * True if scheduled and queued messages are held at the first start: the source was restored from a backup and not
   * started since.
   */
  isRestored: boolean
}

/** Thrown if both sides differ. Nothing is marked; the target must not be used. */
export class MoveMismatchError extends Error {
  override readonly name = 'MoveMismatchError'
}

/** The target of a move, as the operator names it. */
interface Destination {
  settings: PostgresSettings
  place: string
  pageRows: number
}

/**
 * Moves all data from the embedded database to a PostgreSQL server. The caller must hold the lock of the data
 * folder. After an interruption at any point, the same call continues. There are no other writers to the
 * source: one transaction reads it from the first page to its mark. The source is marked before the target
 * can be served, so that at no moment both can be.
 */
export async function moveDatabase(deps: MoveDeps, to: Destination): Promise<MoveResult> {
  const source = await openMoveSource(deps, deps.clock.now())
  try {
    const before = await readDeparture(source.db)
    if (before?.finished_at && before.place !== to.place)
      throw new MovedError(movedSentence(deps.dataFolder, before.place, before.finished_at))
    const shapes = await readTableShapes(source.db)
    const opening = { settings: to.settings, shapes, source: before }
    const target = await MoveTarget.open(opening, deps.clock.now())
    try {
      const departure = { ids: deps.ids, place: to.place, nowMs: deps.clock.now() }
      const isRestored = await wouldBeRestored(source.db, deps.dataFolder)
      const result = before?.finished_at
        ? nothingLeft
        : await copyAndMark(deps, { source, target, shapes, pageRows: to.pageRows, departure, isRestored })
      await target.finish(deps.clock.now(), { isRestored })
      return result
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

const nothingLeft: MoveResult = {
  wasDone: true,
  tables: 0,
  rows: 0,
  sums: {},
  brokenSums: [],
  isRestored: false,
}

interface Move {
  source: MoveSource
  target: MoveTarget
  shapes: readonly TableShape[]
  pageRows: number
  departure: Parameters<typeof beginDeparture>[1]
  isRestored: boolean
}

async function copyAndMark(deps: MoveDeps, move: Move): Promise<MoveResult> {
  const { source, target, shapes, isRestored } = move
  const departure = await beginDeparture(source.db, move.departure)
  return source.db.transaction().execute(async (tx) => {
    // A command that ran in between has changed the state.
    if ((await readDeparture(tx))?.copy_id !== departure.copyId)
      throw new MovedError('A command changed the database when the move began. Run the move again.')
    const { rows } = await copyTables(deps, move, departure)
    const at = (step: MoveProgress['step']): void =>
      deps.onProgress({ step, table: null, rows: { copied: rows, total: rows } })
    at('analyzing')
    await target.analyze()
    at('comparing')
    const { differences, sums } = await compareDatabases(tx, target.db, shapes)
    if (differences.length > 0) throw new MoveMismatchError(mismatchSentence(differences))
    at('adding up')
    const brokenSums = await brokenOnBoth(deps, tx, target.db)
    await endDeparture(tx, { dataFolder: deps.dataFolder, nowMs: deps.clock.now() })
    return { wasDone: false, tables: shapes.length, rows, sums, brokenSums, isRestored }
  })
}

/**
 * Returns sums that are wrong in both databases, which do not prevent a move. Throws if a sum is correct in
 * the source but not in the target.
 */
async function brokenOnBoth({ findBrokenSums }: MoveDeps, source: Tx, target: Db): Promise<string[]> {
  const broken = await findBrokenSums(target)
  if (broken.length === 0) return []
  const brokenBefore = new Set(await findBrokenSums(source))
  const fresh = broken.filter((name) => !brokenBefore.has(name))
  if (fresh.length > 0)
    throw new MoveMismatchError(
      `These sums are correct in the source but not in the target: ${fresh.join(', ')}. ${retrySentence}`,
    )
  return broken
}

async function copyTables(
  deps: MoveDeps,
  { source, target, shapes, pageRows }: Move,
  departure: { id: string; copyId: string },
): Promise<{ rows: number }> {
  const counting = { copied: 0, total: 0 }
  deps.onProgress({ step: 'counting', table: null, rows: counting })
  const total = await source.countRows(shapes)
  const begun = await target.begin(shapes, {
    ...departure,
    dataFolder: deps.dataFolder,
    nowMs: deps.clock.now(),
  })
  if (begun.isRestart) deps.onProgress({ step: 'restarting', table: null, rows: { ...counting, total } })
  let copied = [...begun.progress.values()].reduce((sum, { copied_rows: rows }) => sum + rows, 0)
  for (const shape of shapes) {
    let progress = begun.progress.get(shape.name)
    if (progress === undefined) throw new Error(`The target has no progress of the table ${shape.name}.`)
    while (progress.is_done === 0) {
      const after = progress.last_key === null ? null : (JSON.parse(progress.last_key) as Value[])
      const rows = source.readPage(shape, after, pageRows)
      progress = await target.addPage(shape, progress, { rows, isLast: rows.length < pageRows })
      copied += rows.length
      deps.onProgress({ step: 'copying', table: shape.name, rows: { copied, total } })
    }
  }
  return { rows: copied }
}

const retrySentence =
  'Nothing is marked as moved: the embedded database can be served as before. Empty the target (drop and create the database) and move again. If it happens again, report it.'

function mismatchSentence(differences: readonly Difference[]): string {
  const shown = differences
    .slice(0, 10)
    .map(({ of, source, target }) => `${of} ${String(source)} / ${String(target)}`)
  return `Source and target differ (${differences.length} differences: ${shown.join('; ')}). ${retrySentence}`
}

import { openCrossing } from '../seam/crossing.ts'
import { StorageError, type UnitsModule } from '../seam/dialect.ts'
import type { Answer, UnitRunner } from './sqlite-protocol.ts'
import { mergedUnits } from '../seam/merged-units.ts'
import { sqliteDialect, type SqliteExecutor } from './sqlite-dialect.ts'
import { Writer } from '../seam/writer.ts'

export interface UnitRunnerDeps {
  executor: SqliteExecutor
  answer(message: Answer): void
  answerError(id: number, error: unknown): void
  unitsModule: string | undefined
  maxMergedWeight: number
}

/** Rolls back a transaction of the other side, without an error of this side. */
class RolledBack extends Error {}

/**
 * Creates the writer inside the thread of the database, which runs the hot units by name. A transaction of
 * the other side is one unit of this writer, open until it is ended there; its statements arrive as
 * statements.
 */
export async function createUnitRunner(deps: UnitRunnerDeps): Promise<UnitRunner> {
  const { answer, answerError, unitsModule } = deps
  const writer = new Writer(openCrossing(sqliteDialect(deps.executor)), { savepoint: 'unit' })
  const { units, merging = {} }: UnitsModule =
    unitsModule === undefined ? { units: {} } : ((await import(unitsModule)) as UnitsModule)
  const merged = mergedUnits({ writer, units, merging, maxWeight: deps.maxMergedWeight })
  /** The transaction of the other side: how to end it, and the request that waits for that. */
  let session: { end: (error: Error | null) => void; endId: number } | null = null

  function begin(id: number): void {
    const opened = { end: (_error: Error | null): void => undefined, endId: id }
    writer
      .write(
        () =>
          new Promise<void>((resolve, reject) => {
            opened.end = (error) => (error === null ? resolve() : reject(error))
            session = opened
            answer({ id })
          }),
      )
      .then(() => answer({ id: opened.endId }))
      .catch((error: unknown) =>
        error instanceof RolledBack ? answer({ id: opened.endId }) : answerError(opened.endId, error),
      )
  }

  function end(id: number, error: Error | null): void {
    // A commit that failed has already ended the session; the rollback after it is a no-op.
    if (session === null && error !== null) return answer({ id })
    if (session === null) throw new StorageError('there is no transaction to end', 'other', true)
    session.endId = id
    session.end(error)
    session = null
  }

  function runUnit(id: number, name: string, input: unknown): void {
    const unit = units[name]
    if (unit === undefined) throw new Error(`unknown unit ${name}`)
    const run = merged.get(name) ?? ((single: unknown) => writer.write((tx) => unit(tx, single as never)))
    run(input)
      .then((result) => answer({ id, result }))
      .catch((error: unknown) => answerError(id, error))
  }

  return {
    handle({ id, ...request }) {
      if (request.kind === 'unit') runUnit(id, request.name, request.input)
      else if (request.kind === 'begin') begin(id)
      else end(id, request.kind === 'commit' ? null : new RolledBack())
    },
  }
}

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { threadId } from 'node:worker_threads'

/**
 * Loaded by `--import` into each thread of a server whose statements are counted (statement-counter.ts): each run of a prepared statement is one,
 * for whatever rows it touches; begin, commit and savepoints are run without preparation and are none. Each thread keeps its count in a file of the
 * folder that the URL of this module names.
 */
export const keepEachMs = 100

const place = new URL(import.meta.url).searchParams.get('folder')
if (place !== null) countInto(join(fileURLToPath(place), String(threadId)))

function countInto(file: string): void {
  let count = 0
  let kept = -1
  const statements = StatementSync.prototype
  for (const name of ['run', 'get', 'all', 'iterate'] as const) {
    const original = statements[name] as (this: StatementSync, ...values: never[]) => unknown
    const counted = function (this: StatementSync, ...values: never[]): unknown {
      count += 1
      return original.apply(this, values)
    }
    Object.defineProperty(statements, name, { value: counted })
  }
  setInterval(() => {
    if (count === kept) return
    kept = count
    // Renamed, because a reader that comes in between finds an empty file otherwise.
    const fresh = `${file}.fresh`
    writeFileSync(fresh, String(count))
    renameSync(fresh, file)
  }, keepEachMs).unref()
}

import { createHash } from 'node:crypto'
import { existsSync, globSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { fillMessages, type FilledRange, type Filling } from './fill-messages.ts'
import {
  type BenchAccount,
  type BenchFolder,
  databaseOf,
  folderAt,
  makeAccount,
  startServer,
} from './server-process.ts'

/** A data folder with many messages, most of them of one account. */
export interface LargeDatabase extends FilledRange, BenchAccount {
  folder: BenchFolder
  messages: number
}

const note = (path: string): string => join(path, 'built.json')
/** What waits in it expires 30 days after it was built. */
const usableMs = 20 * 86_400_000

/**
 * Gives a data folder with so many messages, built by SQL in the shape that the program would have left (`doctor` holds). It is kept in the
 * folder for temporary files under a name that changes with the schema and with this code, so that only the first run has to build it.
 */
export async function openLargeDatabase(
  messages: number,
  say: (text: string) => void,
): Promise<LargeDatabase> {
  const kept = `onesixty-bench-${messages}-`
  const path = join(tmpdir(), kept + checksum())
  const folder = folderAt(path)
  if (existsSync(note(path)) && Date.now() - statSync(note(path)).mtimeMs < usableMs)
    return {
      folder,
      messages,
      ...(JSON.parse(readFileSync(note(path), 'utf8')) as FilledRange & BenchAccount),
    }

  for (const old of readdirSync(tmpdir()).filter((name) => name.startsWith(kept)))
    rmSync(join(tmpdir(), old), { recursive: true, force: true })
  const startedMs = performance.now()
  say(`building a database of ${messages.toLocaleString('en')} messages …`)
  await mkdir(path, { mode: 0o700 })
  const account = await makeAccount(folder, ['offline=true'])
  // Numbers of changes begin with the first start.
  await (await startServer(folder)).stop()
  const range = buildMessages(databaseOf(folder), { ...account, messages, nowMs: Date.now() })
  writeFileSync(note(path), JSON.stringify({ ...account, ...range }), { mode: 0o600 })
  say(
    `built in ${Math.round((performance.now() - startedMs) / 1000)} s, ${Math.round(statSync(databaseOf(folder)).size / 1_000_000)} MB`,
  )
  return { folder, messages, ...account, ...range }
}

function checksum(): string {
  const files = [
    ...globSync('../src/storage/migrations/*.sql', { cwd: import.meta.dirname }).toSorted(),
    'large-database.ts',
    'fill-messages.ts',
  ]
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(fileURLToPath(new URL(file, import.meta.url))))
  return hash.digest('hex').slice(0, 16)
}

/**
 * Fills the file of a fresh database (fill-messages.ts). Nothing is flushed and no index but the keys is kept up while rows go in; after a crash
 * the file is of no use.
 */
export function buildMessages(file: string, filling: Filling): FilledRange {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -1000000')
  const indexes = database
    .prepare(
      "select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name in ('messages', 'attempts')",
    )
    .all() as { name: string; sql: string }[]
  for (const { name } of indexes) database.exec(`drop index ${name}`)
  const range = fillMessages(database, filling)
  for (const { sql } of indexes) database.exec(sql)
  database.exec('pragma journal_mode = wal')
  database.close()
  return range
}

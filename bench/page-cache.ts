import { createReadStream } from 'node:fs'
import { type BenchFolder, databaseOf } from './server-process.ts'

/** Brings the database into the page cache, so that the first run and the next measure the same. */
export async function readThrough(folder: BenchFolder): Promise<void> {
  const chunks = createReadStream(databaseOf(folder), { highWaterMark: 4_194_304 })
  await chunks.forEach(() => undefined)
}

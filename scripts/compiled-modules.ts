import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Where Node.js keeps what it compiled of the modules that tests load and start. */
export const compiledModules = join(
  import.meta.dirname,
  '..',
  'node_modules',
  '.cache',
  'onesixty',
  'compiled',
)

/** What some runs of all tests leave: Vitest gives a test file another name in each, by which Node.js keeps it once more. */
const maxEntries = 30_000

/** Empties the folder once earlier runs have filled it. */
export async function forgetCompiled(): Promise<void> {
  const entries = await readdir(compiledModules, { recursive: true }).catch(() => [])
  if (entries.length > maxEntries) await rm(compiledModules, { recursive: true, force: true })
}

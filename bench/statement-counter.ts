import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { keepEachMs } from './statement-hooks.ts'

/** Counts the statements that a server runs on rows of the embedded database, in all its threads. */
export interface StatementCounter {
  /** How its server is started. */
  nodeOptions: readonly string[]
  /** Gives how many there were so far, once the threads have written down what they counted. */
  count(): Promise<number>
  remove(): Promise<void>
}

/** Makes one for one server. */
export async function createStatementCounter(): Promise<StatementCounter> {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-statements-'))
  const hooks = new URL('statement-hooks.ts', import.meta.url)
  hooks.searchParams.set('folder', pathToFileURL(folder).href)
  return {
    nodeOptions: [`--import=${hooks.href}`],
    async count() {
      await sleep(3 * keepEachMs)
      const files = (await readdir(folder)).filter((file) => /^\d+$/.test(file))
      const counts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
      return counts.reduce((sum, count) => sum + Number(count), 0)
    },
    remove: () => rm(folder, { recursive: true }),
  }
}

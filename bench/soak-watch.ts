import { readdirSync, statSync } from 'node:fs'
import { residentMegabytes } from './process-usage.ts'
import { type BenchFolder, databaseOf, type ServerProcess } from './server-process.ts'

/** What was seen at one time. */
export interface SoakSample {
  atSeconds: number
  residentMegabytes: number
  databaseMegabytes: number
  walMegabytes: number
  openFiles: number
}

const sampleEachMs = 1_000

/** Looks at a server and its files each second until it is stopped, then gives all samples, oldest first; or is cancelled, as when the server is gone. */
export function watchSoak(
  folder: BenchFolder,
  { pid }: ServerProcess,
): { stop(): SoakSample[]; cancel(): void } {
  const samples: SoakSample[] = []
  const startedMs = performance.now()
  const database = databaseOf(folder)
  const megabytes = (file: string): number =>
    (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / 1_000_000
  const take = (): void =>
    void samples.push({
      atSeconds: Math.round((performance.now() - startedMs) / 1_000),
      residentMegabytes: residentMegabytes(pid),
      databaseMegabytes: megabytes(database),
      walMegabytes: megabytes(`${database}-wal`),
      openFiles: readdirSync(`/proc/${pid}/fd`).length,
    })
  take()
  const timer = setInterval(take, sampleEachMs)
  return {
    stop() {
      clearInterval(timer)
      take()
      return samples
    },
    cancel: () => clearInterval(timer),
  }
}

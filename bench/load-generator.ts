import { fork } from 'node:child_process'
import { once } from 'node:events'
import { runJob } from './job-run.ts'
import type { LoadJob, LoadResult } from './load-job.ts'

/** The load generator, a process of its own: the same one asks the bare server and onesixty, so that ratios are fair. */
export interface LoadGenerator {
  /** Runs one job at a time. Rejects when an answer had a status other than `expectedStatus`. */
  run(job: LoadJob, expectedStatus: number): Promise<LoadResult>
  stop(): void
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(import.meta.filename, { execArgv: [] })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The load generator ended.')))
  ended.catch(() => undefined)
  return {
    async run(job, expectedStatus) {
      child.send(job)
      const [result] = (await Promise.race([once(child, 'message'), ended])) as [LoadResult]
      const unexpected = Object.keys(result.statuses).filter((status) => status !== String(expectedStatus))
      if (unexpected.length > 0)
        throw new Error(`Not every answer was ${expectedStatus}: ${JSON.stringify(result.statuses)}`)
      return result
    },
    stop: () => void child.kill(),
  }
}

if (import.meta.main) {
  process.on('message', (job: LoadJob) => void runJob(job).then((result) => process.send?.(result)))
  process.on('disconnect', () => process.exit(0))
}

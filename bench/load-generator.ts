import { fork } from 'node:child_process'
import { once } from 'node:events'
import { runJob } from './job-run.ts'
import type { LoadJob, LoadResult } from './load-job.ts'

/** The load generator, a process of its own: the same one asks the bare server and onesixty, so that ratios are fair. */
export interface LoadGenerator {
  pid: number
  /** Runs one job at a time. Rejects when an answer had a status other than `expectedStatus`. */
  run(job: LoadJob, expectedStatus: number): Promise<LoadResult>
  stop(): void
}

/** A server that owes answers for longer than this fails the run. */
const answerTimeoutMs = 60_000

export function startLoadGenerator(): LoadGenerator {
  const child = fork(import.meta.filename, { execArgv: [] })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The load generator ended.')))
  ended.catch(() => undefined)
  return {
    pid: child.pid as number,
    async run(job, expectedStatus) {
      const overdue = new AbortController()
      const timer = setTimeout(() => overdue.abort(), job.warmUpMs + job.measureMs + answerTimeoutMs)
      child.send(job)
      const answer = once(child, 'message', { signal: overdue.signal })
      const [result] = (await Promise.race([answer, ended])) as [LoadResult]
      clearTimeout(timer)
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

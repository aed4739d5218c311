import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { bindNpm, createNpmSmsc } from './smpp-npm-end.ts'
import { bindOwn, createOwnSmsc } from './smpp-own-end.ts'

/** Whose SMPP both ends speak. */
export type Speaker = 'own' | 'npm'

/** `text`: the ESME takes characters and the SMSC gives characters, in GSM-7. `octets`: nobody translates. */
export type Content = 'text' | 'octets'

/** What an ESME shall do: keep `window` submits open in each session, and count the answers of `measureMs` after the warm-up. */
export interface SubmitJob {
  port: number
  content: Content
  sessions: number
  window: number
  warmUpMs: number
  measureMs: number
}

export interface SubmitResult {
  submits: number
  /** Of one in 16, in milliseconds. */
  latencies: number[]
  /** What the ESME used of a core. */
  cpu: number
}

/** Sends one submit and calls back with its answer. */
export type Submit = (answered: (isAccepted: boolean) => void) => void

/** Runs one ESME and one SMSC, each a process of its own, and gives what the ESME counted. */
export async function runEnds(speaker: Speaker, job: Omit<SubmitJob, 'port'>): Promise<SubmitResult> {
  const smsc = fork(import.meta.filename, [speaker, 'smsc', job.content], { execArgv: [] })
  const esme = fork(import.meta.filename, [speaker, 'esme'], { execArgv: [] })
  try {
    const [port] = (await once(smsc, 'message')) as [number]
    esme.send({ ...job, port })
    const [result] = (await once(esme, 'message')) as [SubmitResult]
    return result
  } finally {
    smsc.kill()
    esme.kill()
  }
}

/** The clock is read for one submit in 16 only, so that the counting costs nothing that counts. */
async function submitAll(
  submits: readonly Submit[],
  { window, warmUpMs, measureMs }: SubmitJob,
): Promise<SubmitResult> {
  const ended = Promise.withResolvers<void>()
  const latencies: number[] = []
  let cpuBefore = process.cpuUsage()
  let isOver = false
  let answers = 0
  let sent = 0
  setTimeout(() => {
    cpuBefore = process.cpuUsage()
    answers = latencies.length = 0
    setTimeout(() => (isOver = true), measureMs)
  }, warmUpMs)
  const next = (submit: Submit): void => {
    const sentAt = sent++ % 16 === 0 ? performance.now() : null
    submit((isAccepted) => {
      if (!isAccepted) return ended.reject(new Error('A submit was not accepted.'))
      if (isOver) return ended.resolve()
      answers++
      if (sentAt !== null) latencies.push(performance.now() - sentAt)
      next(submit)
    })
  }
  for (const submit of submits) for (let i = 0; i < window; i++) next(submit)
  await ended.promise
  const { user, system } = process.cpuUsage(cpuBefore)
  return { submits: answers, latencies, cpu: (user + system) / 1000 / measureMs }
}

if (import.meta.main) {
  const [speaker, role, content] = process.argv.slice(2)
  process.on('disconnect', () => process.exit(0))
  if (role === 'smsc') {
    const server = (speaker === 'own' ? createOwnSmsc : createNpmSmsc)(content as Content)
    server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  } else {
    const [job] = (await once(process, 'message')) as [SubmitJob]
    const bind = speaker === 'own' ? bindOwn : bindNpm
    const submits = await Promise.all(Array.from({ length: job.sessions }, () => bind(job)))
    process.send?.(await submitAll(submits, job))
  }
}

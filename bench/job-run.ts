import { HttpConnection } from './http-connection.ts'
import type { LoadJob, LoadResult } from './load-job.ts'
import { createRequestTemplate, type RequestTemplate } from './request-template.ts'

/** Runs one job: opens the connections, sends, and measures what is answered after the warm-up. */
export async function runJob(job: LoadJob): Promise<LoadResult> {
  const run = new JobRun(job)
  await run.open()
  return run.finish()
}

interface Line {
  connection: HttpConnection
  template: RequestTemplate
}

class JobRun {
  readonly #job: LoadJob
  readonly #lines: Line[]
  readonly #statuses: Record<string, number> = {}
  readonly #latencies: number[] = []
  readonly #times: LoadResult['times'] = []
  #sent = 0
  #open = 0
  #measureFrom = 0
  #endAt = 0
  #lastAnswerAt = 0
  #cpuBefore = process.cpuUsage()
  #done: () => void = () => undefined

  constructor(job: LoadJob) {
    this.#job = job
    this.#lines = Array.from({ length: job.connections }, (_, i) => {
      const server = i % job.ports.length
      const isOwn = (_token: string, t: number): boolean => t % job.ports.length === server
      const tokens = job.hasOwnKeys ? job.tokens.filter(isOwn) : job.tokens
      const connection = new HttpConnection(job.ports[server] as number)
      return { connection, template: createRequestTemplate({ ...job, tokens }) }
    })
  }

  open = async (): Promise<void> =>
    void (await Promise.all(this.#lines.map(({ connection }) => connection.opened)))

  async finish(): Promise<LoadResult> {
    const { warmUpMs, measureMs, perSecond } = this.#job
    const ended = new Promise<void>((resolve) => (this.#done = resolve))
    const startedAt = performance.now()
    this.#measureFrom = startedAt + warmUpMs
    this.#endAt = this.#measureFrom + measureMs
    setTimeout(() => (this.#cpuBefore = process.cpuUsage()), warmUpMs)
    if (perSecond === null) for (const line of this.#lines) this.#askAgain(line)
    else this.#pace(perSecond, startedAt)
    await ended
    for (const { connection } of this.#lines) connection.close()
    return this.#result()
  }

  get #isOver(): boolean {
    return this.#sent >= this.#most || performance.now() >= this.#endAt
  }

  get #most(): number {
    return this.#job.maxRequests ?? Infinity
  }

  /** Closed loop: the next request when the last is answered. */
  #askAgain(line: Line): void {
    if (this.#isOver || line.connection.isBroken) {
      if (this.#open === 0) this.#done()
      return
    }
    this.#ask(line, performance.now(), () => this.#askAgain(line))
  }

  /**
   * Open loop: requests stand in line from when they are due, in steps of the timer (1 ms); one that finds every connection busy waits there,
   * and its clock runs.
   */
  #pace(perSecond: number, startedAt: number): void {
    const free = [...this.#lines]
    const dueTimes: number[] = []
    let sent = 0
    const sendWaiting = (): void => {
      // In turns: a connection that were never used would be closed by the server as one that owes its first request.
      while (sent < dueTimes.length && free.length > 0 && this.#sent < this.#most) {
        const line = free.shift() as Line
        this.#ask(line, dueTimes[sent++] as number, () => {
          if (!line.connection.isBroken) free.push(line)
          if (!this.#isOver) sendWaiting()
          else if (this.#open === 0) this.#done()
        })
      }
    }
    const tick = (): void => {
      const nowMs = performance.now()
      while (startedAt + (dueTimes.length * 1000) / perSecond <= nowMs) dueTimes.push(nowMs)
      sendWaiting()
      if (!this.#isOver) setTimeout(tick, 1)
      else if (this.#open === 0) this.#done()
    }
    tick()
  }

  #ask({ connection, template }: Line, dueAt: number, then: () => void): void {
    const message = this.#job.firstMessage + this.#sent * template.messagesPerRequest
    const sentAt = this.#job.keepTimes ? Date.now() : 0
    this.#sent += 1
    this.#open += 1
    connection.send(template.bytesOf(message), (status) => {
      const answeredAt = performance.now()
      this.#open -= 1
      this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
      if (answeredAt >= this.#measureFrom && answeredAt <= this.#endAt) {
        this.#latencies.push(answeredAt - dueAt)
        this.#lastAnswerAt = answeredAt
        if (this.#job.keepTimes) this.#times.push([message, sentAt, Date.now()])
      }
      then()
    })
  }

  #result(): LoadResult {
    const measuredMs = this.#lastAnswerAt - this.#measureFrom
    const { user, system } = process.cpuUsage(this.#cpuBefore)
    const sorted = Float64Array.from(this.#latencies).toSorted()
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
    const [{ template }] = this.#lines as [Line]
    return {
      answers: sorted.length,
      statuses: this.#statuses,
      perSecond: (sorted.length * 1000) / measuredMs,
      latency: { p50: at(0.5), p99: at(0.99), max: at(1) },
      messages: this.#sent * template.messagesPerRequest,
      generatorCpu: (user + system) / 1000 / measuredMs,
      times: this.#times,
    }
  }
}

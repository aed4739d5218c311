import { type EchoServer, startEchoServer } from './echo-server.ts'
import { latencyOf, median, perSecondOf } from './figure.ts'
import type { LoadJob, LoadResult, RequestShape } from './load-job.ts'
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts'
import { type ProcessorUse, watchProcessor } from './process-usage.ts'
import type { ServerProcess } from './server-process.ts'

/** How long and how much: `--quick` is for work on the bench itself, its figures say nothing. */
export interface Lengths {
  warmUpMs: number
  measureMs: number
  echoMs: number
  /** Requests of each paced read. */
  reads: number
  wireMs: number
  queuedMessages: number
  largeDatabase: number
  starts: number
}

export const fullLengths: Lengths = {
  warmUpMs: 3_000, measureMs: 10_000, echoMs: 4_000, reads: 2_500, wireMs: 20_000,
  queuedMessages: 1_000_000, largeDatabase: 5_000_000, starts: 5,
} // prettier-ignore
export const quickLengths: Lengths = {
  warmUpMs: 1_000, measureMs: 2_000, echoMs: 1_000, reads: 300, wireMs: 3_000,
  queuedMessages: 50_000, largeDatabase: 200_000, starts: 2,
} // prettier-ignore

export const one = { kind: 'send', recipients: 1, idempotent: false } satisfies RequestShape
export const hundred = { kind: 'send', recipients: 100, idempotent: false } satisfies RequestShape

/** What the rows of one run share. */
export interface BenchRun {
  lengths: Lengths
  /** Tells whoever waits. */
  say(text: string): void
  /** Loads a server; without `perSecond` as fast as it answers. Says what came out. */
  load(name: string, target: LoadTarget): Promise<MeasuredLoad>
  /** Options of Node.js for the servers that are loaded: `--profile` sets some. */
  nodeOptions: readonly string[]
}

export interface LoadTarget extends Partial<
  Pick<LoadJob, 'connections' | 'perSecond' | 'measureMs' | 'warmUpMs' | 'maxRequests' | 'keepTimes'>
> {
  server: Pick<ServerProcess, 'port' | 'pid'>
  token: string
  shape: RequestShape
  expectedStatus?: number
}

export interface MeasuredLoad extends LoadResult {
  /** Who used the processors, as a clause; warm-up included. */
  facts: string
}

/** The load generator and the bare server of one run. */
export class BenchMachine {
  readonly #generator: LoadGenerator = startLoadGenerator()
  readonly #lengths: Lengths
  readonly #say: (text: string) => void
  readonly #rates: number[] = []
  #echo: EchoServer | null = null
  #nextMessage = 0

  constructor(lengths: Lengths, say: (text: string) => void) {
    this.#lengths = lengths
    this.#say = say
  }

  /** Every rate of the bare server so far. */
  get echoRates(): readonly number[] {
    return this.#rates
  }

  /** The median rate of the bare server. */
  get n(): number {
    return median(this.#rates)
  }

  /** The processes that live as long as the run. */
  get pids(): readonly number[] {
    return [this.#generator.pid, ...(this.#echo === null ? [] : [this.#echo.pid])]
  }

  /** Starts the bare server, which will answer `answer`. */
  async startEcho(answer: object): Promise<void> {
    this.#echo = await startEchoServer(answer)
  }

  /** Measures the bare server once more: before, between and after the rows, because a machine is not the same all the time. */
  async sampleEcho(): Promise<void> {
    if (this.#echo === null) throw new Error('The bare server does not run.')
    const { perSecond } = await this.load('the bare server', {
      server: this.#echo, token: 'x'.repeat(63), shape: one, warmUpMs: 1_000, measureMs: this.#lengths.echoMs,
    }) // prettier-ignore
    this.#rates.push(perSecond)
  }

  load = async (
    name: string,
    { server, expectedStatus = 202, ...target }: LoadTarget,
  ): Promise<MeasuredLoad> => {
    const { warmUpMs, measureMs } = this.#lengths
    const job: LoadJob = {
      connections: 64, perSecond: null, warmUpMs, measureMs, maxRequests: null, keepTimes: false,
      ...target, port: server.port, firstMessage: this.#nextMessage,
    } // prettier-ignore
    const watched = watchProcessor(server.pid)
    const result = await this.#generator.run(job, expectedStatus)
    const facts = processorFacts(watched.stop(), result, target.shape.kind === 'get' ? 'request' : 'message')
    this.#nextMessage += result.messages
    this.#say(`${name}: ${perSecondOf(result.perSecond)}, ${latencyOf(result.latency)}; ${facts}`)
    return { ...result, facts }
  }

  stop(): void {
    this.#generator.stop()
    this.#echo?.stop()
  }
}

function processorFacts(
  { main, others, totalMs }: ProcessorUse,
  { generatorCpu, messages }: LoadResult,
  unit: string,
): string {
  const percent = (share: number): string => `${Math.round(share * 100)} %`
  const busy = others.filter((share) => share >= 0.05).map(percent)
  const threads = busy.length === 0 ? '' : `, its other threads ${busy.join(' + ')}`
  const each = ((totalMs * 1000) / messages).toFixed(0)
  return `of a core the main thread used ${percent(main)}${threads}, the load generator ${percent(generatorCpu)}; ${each} µs of the server for each ${unit}`
}

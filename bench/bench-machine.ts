import type { BenchRun, Lengths, LoadTarget, MeasuredLoad } from './bench-run.ts'
import { type EchoServer, startEchoServer } from './echo-server.ts'
import { exampleAnswer } from './example-answer.ts'
import { latencyOf, perSecondOf } from './figure.ts'
import { type LoadJob, type LoadResult, one } from './load-job.ts'
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts'
import { type ProcessorUse, sayProcessorUse, watchProcessor } from './process-usage.ts'

/** The load generator and the bare server of one run. */
export class BenchMachine {
  readonly #lengths: Lengths
  readonly #say: (text: string) => void
  readonly #generator: LoadGenerator = startLoadGenerator()
  readonly #rates: number[] = []
  #echo: EchoServer | null = null
  /** Whether nothing was measured since the bare server was. */
  #isFresh = false
  #nextMessage = 0

  constructor(lengths: Lengths, say: (text: string) => void) {
    this.#lengths = lengths
    this.#say = say
  }

  /** Every rate of the bare server so far. */
  get echoRates(): readonly number[] {
    return this.#rates
  }

  /** The processes that live as long as the run. */
  get pids(): readonly number[] {
    return [this.#generator.pid, ...(this.#echo === null ? [] : [this.#echo.pid])]
  }

  load: BenchRun['load'] = async (name, target) => {
    this.#isFresh = false
    return this.#load(name, target)
  }

  againstN: BenchRun['againstN'] = async (measure) => {
    if (!this.#isFresh) await this.sampleEcho()
    const before = this.#rates.at(-1) ?? Number.NaN
    const measured = await measure()
    const after = await this.sampleEcho()
    return { ...measured, ofN: (2 * measured.perSecond) / (before + after) }
  }

  /** Measures the bare server once more, because a machine is not the same all the time. */
  async sampleEcho(): Promise<number> {
    this.#echo ??= await startEchoServer(await exampleAnswer())
    const target = {
      server: this.#echo,
      token: 'x'.repeat(63),
      shape: one,
      warmUpMs: 1_000,
      measureMs: this.#lengths.echoMs,
    }
    const { perSecond } = await this.#load('the bare server', target)
    this.#rates.push(perSecond)
    this.#isFresh = true
    return perSecond
  }

  stop(): void {
    this.#generator.stop()
    this.#echo?.stop()
  }

  async #load(
    name: string,
    { server, otherPorts = [], token, otherTokens = [], expectedStatus = 202, ...target }: LoadTarget,
  ): Promise<MeasuredLoad> {
    const { warmUpMs, measureMs } = this.#lengths
    const job: LoadJob = {
      connections: 64, perSecond: null, warmUpMs, measureMs, maxRequests: null, keepTimes: false,
      ...target, ports: [server.port, ...otherPorts], tokens: [token, ...otherTokens], firstMessage: this.#nextMessage,
    } // prettier-ignore
    const watched = watchProcessor(server.pid)
    const result = await this.#generator.run(job, expectedStatus)
    const facts = processorFacts(watched.stop(), result, target.shape.kind === 'get' ? 'request' : 'message')
    this.#nextMessage += result.messages
    this.#say(`${name}: ${perSecondOf(result.perSecond)}, ${latencyOf(result.latency)}; ${facts}`)
    return { ...result, facts }
  }
}

/** Who used the processors, as a clause. */
function processorFacts(use: ProcessorUse, { generatorCpu, messages }: LoadResult, unit: string): string {
  const each = ((use.totalMs * 1000) / messages).toFixed(0)
  return `${sayProcessorUse(use)}, the load generator ${Math.round(generatorCpu * 100)} %; ${each} µs of the server for each ${unit}`
}

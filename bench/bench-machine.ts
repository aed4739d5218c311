import type { BenchRun, Lengths, LoadTarget, MeasuredLoad } from './bench-run.ts'
import { latencyOf, perSecondOf } from './figure.ts'
import type { LoadJob, LoadResult } from './load-job.ts'
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts'
import { type ProcessorUse, sayProcessorUse, watchProcessor } from './process-usage.ts'

/** The load generator of one run. */
export class BenchMachine {
  readonly #lengths: Lengths
  readonly #say: (text: string) => void
  readonly #generator: LoadGenerator = startLoadGenerator()
  #nextMessage = 0

  constructor(lengths: Lengths, say: (text: string) => void) {
    this.#lengths = lengths
    this.#say = say
  }

  /** The processes that live as long as the run. */
  get pids(): readonly number[] {
    return [this.#generator.pid]
  }

  load: BenchRun['load'] = async (
    name,
    { server, otherPorts = [], token, otherTokens = [], expectedStatus = 202, ...target },
  ) => {
    const { warmUpMs, measureMs } = this.#lengths
    const job: LoadJob = {
      connections: 64, perSecond: null, warmUpMs, measureMs, maxRequests: null, keepTimes: false,
      ...target, ports: [server.port, ...otherPorts], tokens: [token, ...otherTokens], firstMessage: this.#nextMessage,
    } // prettier-ignore
    const watched = watchProcessor(server.pid)
    const result = await this.#generator.run(job, expectedStatus)
    const measured = withProcessors(watched.stop(), result, target.shape)
    this.#nextMessage += result.messages
    this.#say(`${name}: ${perSecondOf(result.perSecond)}, ${latencyOf(result.latency)}; ${measured.facts}`)
    return measured
  }

  stop(): void {
    this.#generator.stop()
  }
}

/** Adds who used the processors. */
function withProcessors(use: ProcessorUse, result: LoadResult, shape: LoadTarget['shape']): MeasuredLoad {
  const us = (use.totalMs * 1000) / result.messages
  const unit = shape.kind === 'get' ? 'request' : 'message'
  const generator = Math.round(result.generatorCpu * 100)
  const facts = `${sayProcessorUse(use)}, the load generator ${generator} %; ${us.toFixed(0)} µs of the server for each ${unit}`
  return { ...result, facts, us }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadGenerator } from '../load-generator.ts'
import type { LoadJob, LoadResult } from '../load-job.ts'
import { residentMegabytes, watchProcessor } from '../process-usage.ts'
import type { Mode, Peer, RunningPeer } from './peer.ts'

/** How long and how much. */
export interface VisitLengths {
  rounds: number
  /** Requests with one recipient before what is measured warm. */
  warm: number
  coldMs: number
  measureMs: number
  /** Messages of a life, when cold and when warm. */
  coldLife: number
  life: number
}

/** What one start of a peer showed, by the name of the row. */
export type Seen = Record<string, number>

const connections = 64
/** A slow peer is as warm as it gets in this time. */
const longestWarmUpMs = 60_000
const longestLoadMs = 120_000
/** After a start the garbage of loading is still there; two seconds later it is not. */
const restMs = 2_000

/** Starts a peer, measures it cold and warm, and ends it. */
export async function visit(
  peer: Peer,
  { mode, recipients }: { mode: Mode; recipients: number },
  { lengths, generator }: { lengths: VisitLengths; generator: LoadGenerator },
): Promise<Seen> {
  const running = await peer.start(mode)
  try {
    const visited = new Visit(running, generator)
    if (mode === 'life') return await visited.lives(recipients, lengths)
    const started: Seen = { 'ready after spawn': running.readyMs }
    await sleep(restMs)
    started['memory after start'] = running.pids.reduce((sum, pid) => sum + residentMegabytes(pid), 0)
    return { ...(recipients === 1 && started), ...(await visited.accepts(recipients, lengths)) }
  } finally {
    await running.stop()
  }
}

const amount = (recipients: number): string => (recipients === 1 ? 'one recipient' : `${recipients} recipients a request`) // prettier-ignore

class Visit {
  readonly #peer: RunningPeer
  readonly #generator: LoadGenerator
  #messages = 0

  constructor(peer: RunningPeer, generator: LoadGenerator) {
    this.#peer = peer
    this.#generator = generator
  }

  async accepts(recipients: number, { warm, coldMs, measureMs }: VisitLengths): Promise<Seen> {
    const name = `accept, ${amount(recipients)}, ${connections} connections`
    const cold = await this.#load(recipients, { measureMs: coldMs })
    await this.#load(1, { measureMs: longestWarmUpMs, maxRequests: warm })
    const watched = this.#watch()
    const warmed = await this.#load(recipients, { measureMs })
    const us = watched(warmed.messages)
    const seen: Seen = {
      [`${name}, cold`]: cold.perSecond * recipients,
      [`${name}, warm`]: warmed.perSecond * recipients,
      [`${name}, warm: processor time of a message`]: us,
    }
    if (recipients > 1) return seen
    const alone = await this.#load(1, { measureMs: coldMs, connections: 1 })
    return { ...seen, 'accept, one recipient, one connection: p50': alone.latency.p50 }
  }

  async lives(recipients: number, { warm, coldLife, life }: VisitLengths): Promise<Seen> {
    const name = `whole life over SMPP, ${amount(recipients)}`
    const cold = await this.#live(recipients, coldLife)
    await this.#live(1, warm)
    const watched = this.#watch()
    const warmed = await this.#live(recipients, life)
    return {
      [`${name}, cold`]: cold.perSecond,
      [`${name}, warm`]: warmed.perSecond,
      [`${name}, warm: processor time of a message`]: watched(warmed.messages),
    }
  }

  /**
   * Sends as fast as it is answered and waits for the last receipt; gives messages a second from the first request to it. A slow peer takes fewer than
   * `mostMessages` in time.
   */
  async #live(recipients: number, mostMessages: number): Promise<{ messages: number; perSecond: number }> {
    const fromMs = Date.now()
    const load = { measureMs: longestLoadMs, maxRequests: Math.ceil(mostMessages / recipients) }
    const { messages } = await this.#load(recipients, load)
    const lastMs = await this.#peer.settled(this.#messages)
    return { messages, perSecond: (messages * 1000) / (lastMs - fromMs) }
  }

  async #load(recipients: number, more: Partial<LoadJob>): Promise<LoadResult> {
    const { port, token } = this.#peer
    const job: LoadJob = {
      ports: [port], tokens: [token], shape: this.#peer.shapeOf(recipients), connections, perSecond: null, warmUpMs: 0, measureMs: 0,
      maxRequests: null, firstMessage: this.#messages, keepTimes: false, ...more,
    } // prettier-ignore
    const result = await this.#generator.run(job, 202)
    this.#messages += result.messages
    return result
  }

  /** Gives what ends the watch: microseconds of all processes of the peer for each of so many messages. */
  #watch(): (messages: number) => number {
    const watched = this.#peer.pids.map(watchProcessor)
    return (messages) => (watched.reduce((sum, each) => sum + each.stop().totalMs, 0) * 1000) / messages
  }
}

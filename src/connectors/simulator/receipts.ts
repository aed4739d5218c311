import type { ConnectorEvents, Submission, Receipt } from '../connector.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import { DueQueue } from './due-queue.ts'
import { type Fate, networkIdOf, readNetworkId } from './network-id.ts'
import { optOutNumber } from './scenario.ts'
import { longestDelayMs } from './settings.ts'

interface Deps {
  tools: ConnectorTools
  events: ConnectorEvents
}

const receiptOf: Readonly<Record<Exclude<Fate, 'dropped'>, Omit<Receipt, 'networkId'>>> = {
  delivered: { result: 'delivered', code: null, networkCode: null },
  stop: { result: 'delivered', code: null, networkCode: null },
  undelivered: { result: 'undelivered', code: 'unreachable', networkCode: 'simulated_absent' },
  lost: { result: 'lost', code: 'receipt_missing', networkCode: null },
}

/** The network of the simulator: parts that it accepted, until their receipts were stored. */
export class Receipts {
  readonly #deps: Deps
  readonly #queue: DueQueue<string>
  /** Network IDs whose receipt is pending or being stored; keeps `resume` from adding them twice. */
  readonly #awaited = new Set<string>()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#queue = new DueQueue({ tools: deps.tools, deliver: (networkId) => this.#deliver(networkId) })
  }

  /** Accepts every part of a message and returns their network IDs. The handset replies once, with the last part. */
  take(submission: Submission, fate: Fate, delayMs: number): readonly string[] {
    const { attemptId, parts } = submission
    const dueAt = this.#deps.tools.now() + delayMs
    const networkIds: string[] = []
    for (let part = 1; part <= parts; part++) {
      const own = fate === 'stop' && part < parts ? 'delivered' : fate
      networkIds.push(networkIdOf({ attemptId, part, dueAt, fate: own }))
    }
    if (fate !== 'dropped') for (const networkId of networkIds) this.#await(networkId, delayMs)
    return networkIds
  }

  /** Resumes what an earlier process left: overdue receipts are delivered immediately. Other IDs are ignored. */
  resume(expected: readonly { networkId: string }[]): void {
    const nowMs = this.#deps.tools.now()
    for (const { networkId } of expected) {
      const part = readNetworkId(networkId)
      if (part === null || part.fate === 'dropped') continue
      this.#await(networkId, Math.min(longestDelayMs, Math.max(0, part.dueAt - nowMs)))
    }
  }

  hold(): void {
    this.#queue.hold()
  }

  release(): void {
    this.#queue.release()
  }

  stop(): void {
    this.#queue.stop()
    this.#awaited.clear()
  }

  #await(networkId: string, delayMs: number): void {
    if (this.#awaited.has(networkId)) return
    this.#awaited.add(networkId)
    this.#queue.add(networkId, delayMs)
  }

  /**
   * A reply is stored before the receipt: afterwards no restart would resume the part, and a kill between the
   * two would lose the reply. Its fingerprint identifies it as the same reply when it is repeated.
   */
  async #deliver(networkId: string): Promise<void> {
    const fate = readNetworkId(networkId)?.fate
    if (fate === undefined || fate === 'dropped') return
    if (fate === 'stop') await this.#reply(networkId)
    await this.#deps.events.receipt({ networkId, ...receiptOf[fate] })
    this.#awaited.delete(networkId)
  }

  #reply(networkId: string): Promise<void> {
    const attemptId = readNetworkId(networkId)?.attemptId
    return this.#deps.events.inbound({
      from: optOutNumber,
      to: null,
      text: 'STOP',
      networkAt: this.#deps.tools.now(),
      inReplyTo: networkId,
      ...(attemptId !== undefined && { inReplyToAttempt: attemptId }),
      fingerprint: networkId,
    })
  }
}

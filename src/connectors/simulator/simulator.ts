import type { Capabilities, ConnectorEvents, ConnectorKind, Submission, Link, Outcome } from '../connector.ts'
import type { Health } from '../health.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import { simulatorFacts } from './facts.ts'
import { createPeer, type Peer, type PeerAnswer } from './peer.ts'
import { Receipts } from './receipts.ts'
import { type Scenario, scenarioFor } from './scenario.ts'
import { readSettings, type SimulatorSettings, simulatorSettings } from './settings.ts'

/**
 * A device without hardware: it accepts messages immediately, delivers their receipts a little later, and
 * fails on purpose when its settings or the number say so. `scenarioFor` decides what happens to a message;
 * with a peer, an independent process gets each message first and has precedence.
 */
export const simulatorKind: ConnectorKind<Link> = {
  kind: 'simulator',
  settings: simulatorSettings,
  secretNames: [],
  createLink: (setup, tools, events) => new SimulatorLink({ tools, events }, setup.settings),
}

interface Deps {
  tools: ConnectorTools
  events: ConnectorEvents
}

class SimulatorLink implements Link {
  readonly capabilities: Capabilities = {
    deliveryReports: true,
    ...simulatorFacts.carries,
  }
  readonly #deps: Deps
  readonly #receipts: Receipts
  #settings: SimulatorSettings
  #peer: Peer | null
  #peerFailure: string | null = null
  #state: 'pending' | 'running' | 'stopped' = 'pending'
  #lastSeenAt: number | null = null
  #open = 0
  #onIdle: (() => void)[] = []

  constructor(deps: Deps, settings: Readonly<Record<string, string>>) {
    this.#deps = deps
    this.#receipts = new Receipts(deps)
    this.#settings = readSettings(settings)
    this.#peer = this.#connectPeer()
  }

  get window(): number {
    return this.#settings.window
  }

  health(): Health {
    const status = this.#status()
    const isUp = status === 'online' || status === 'degraded'
    const fault = this.#settings.offline
      ? 'switched_off'
      : this.#peerFailure === null
        ? null
        : 'peer_unreachable'
    return {
      status,
      reasons: fault === null ? [] : [fault],
      link: isUp ? 'session' : 'none',
      lastSeenAt: isUp ? this.#deps.tools.now() : this.#lastSeenAt,
      nextContactExpectedBy: null,
      appVersion: null,
      battery: null,
      network: null,
      sims: [],
      lastError: this.#peerFailure,
    }
  }

  async start(): Promise<void> {
    if (this.#state !== 'pending') return
    this.#state = 'running'
    if (this.#settings.offline) this.#receipts.hold()
    this.#deps.events.healthChanged()
  }

  submit(submission: Submission): Promise<Outcome> {
    if (this.#state !== 'running') return Promise.resolve(unavailable('The device is not running.'))
    const scenario = scenarioFor(submission.to, this.#settings)
    if (scenario.kind === 'unavailable') return Promise.resolve(unavailable('The device was set offline.'))
    // The common case in one turn: no timer, no peer. An async function would cost a second promise.
    const isInstant = scenario.answerAfterMs === 0 && this.#peer === null
    return isInstant
      ? Promise.resolve(this.#conclude(submission, scenario))
      : this.#submitSlowly(submission, scenario)
  }

  resume(expected: readonly { networkId: string }[]): void {
    this.#receipts.resume(expected)
  }

  applySettings(given: Readonly<Record<string, string>>): boolean {
    const { tools, events } = this.#deps
    const before = this.#settings
    const statusBefore = this.#status()
    this.#settings = readSettings(given)
    if (before.peerUrl !== this.#settings.peerUrl) {
      this.#peer?.close()
      this.#peer = this.#connectPeer()
      this.#peerFailure = null
    }
    if (this.#settings.offline) this.#receipts.hold()
    else this.#receipts.release()
    if (this.#settings.offline && !before.offline) this.#lastSeenAt = tools.now()
    if (this.#status() !== statusBefore) events.healthChanged()
    return true
  }

  async stop(): Promise<void> {
    this.#state = 'stopped'
    if (this.#open > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
    this.#receipts.stop()
    this.#peer?.close()
  }

  /** The peer gets it first: a crash during the delay then leaves a message that was submitted and got no response. */
  async #submitSlowly(
    submission: Submission,
    scenario: Exclude<Scenario, { kind: 'unavailable' }>,
  ): Promise<Outcome> {
    this.#open += 1
    try {
      const answer = scenario.kind === 'refused' ? null : await this.#postToPeer(submission)
      if (scenario.answerAfterMs > 0) await this.#wait(scenario.answerAfterMs)
      if (answer === null || answer.kind === 'taken') return this.#conclude(submission, scenario)
      return scenario.kind === 'silent' && answer.kind !== 'unavailable' ? unknown : answer
    } catch (error) {
      this.#deps.tools.log('error', 'A submission to the simulator failed', { error: String(error) })
      return unknown
    } finally {
      this.#open -= 1
      if (this.#open === 0) for (const resume of this.#onIdle.splice(0)) resume()
    }
  }

  #conclude(submission: Submission, scenario: Exclude<Scenario, { kind: 'unavailable' }>): Outcome {
    if (scenario.kind === 'refused') return { kind: 'refused', ...scenario.reason }
    if (scenario.kind === 'silent') return unknown
    const networkIds = this.#receipts.take(submission, scenario.fate, scenario.receiptAfterMs)
    return { kind: 'accepted', networkIds, receiptExpected: true }
  }

  async #postToPeer(submission: Submission): Promise<PeerAnswer | null> {
    const peer = this.#peer
    if (peer === null) return null
    const answer = await peer.post(submission)
    if (peer === this.#peer) {
      const statusBefore = this.#status()
      this.#peerFailure = answer.kind === 'unavailable' ? answer.detail : null
      if (this.#status() !== statusBefore) this.#deps.events.healthChanged()
    }
    return answer
  }

  #status(): Health['status'] {
    if (this.#state === 'pending') return 'pending'
    if (this.#state === 'stopped' || this.#settings.offline) return 'offline'
    return this.#peerFailure === null ? 'online' : 'degraded'
  }

  #connectPeer(): Peer | null {
    const { peerUrl } = this.#settings
    return peerUrl === null ? null : createPeer(this.#deps.tools, peerUrl)
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.#deps.tools.schedule(delayMs, resolve))
  }
}

const unknown: Outcome = {
  kind: 'unknown',
  networkIds: [],
  partsTaken: 0,
  detail: 'The simulated response was lost.',
}
const unavailable = (detail: string): Outcome => ({ kind: 'unavailable', detail })

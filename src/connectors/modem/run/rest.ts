import type { ConnectorTools } from '../../connector-tools.ts'
import type { DeviceFault } from '../submit/error-class.ts'

/** How long nothing is sent after an error that the next message would meet, too. */
const restMs: Readonly<Partial<Record<DeviceFault, number>>> = {
  // The network bars the SIM: a person has to act, and each further try is one more that it sees.
  sim_blocked: 600_000,
  sim_busy: 5_000,
}
/** The network rejects messages to different recipients, mostly for want of credit. */
const maxRejected = 5

/** Keeps a modem from sending for a while after an error that concerns it, and says why. */
export class Rest {
  readonly #tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
  readonly #changed: () => void
  #resting: DeviceFault | null = null
  #rejected = new Set<string>()
  #cancel: () => void = () => undefined

  constructor(tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>, changed: () => void) {
    this.#tools = tools
    this.#changed = changed
  }

  get isResting(): boolean {
    return this.#resting !== null
  }

  /** Why it rests; or that messages to several recipients were rejected in a row, which keeps none from being tried. */
  get reason(): string | null {
    if (this.#resting !== null) return this.#resting
    return this.#rejected.size >= maxRejected ? 'repeated_failures' : null
  }

  faulty(fault: DeviceFault, to: string): void {
    if (fault === 'rejected') this.#rejected.add(to)
    const ms = restMs[fault]
    if (ms !== undefined) {
      this.#cancel()
      this.#resting = fault
      this.#cancel = this.#tools.schedule(ms, () => {
        this.#resting = null
        this.#changed()
      })
    }
    this.#changed()
  }

  /** A part was taken. */
  worked(): void {
    this.#rejected.clear()
  }

  stop(): void {
    this.#cancel()
  }
}

import { hourMs } from '../../runtime/clock.ts'
import type { ConnectorTools } from '../connector-tools.ts'

/** Providers call about the first state of a message within seconds; an hour outlasts their faults. */
const patienceMs = hourMs

/** Whether a provider that should call about messages ever did, since this start. */
export class CallWatch {
  readonly #deps: { tools: Pick<ConnectorTools, 'schedule'>; changed(): void }
  #hasCalled = false
  #isMissing = false
  #cancel: (() => void) | null = null

  constructor(deps: { tools: Pick<ConnectorTools, 'schedule'>; changed(): void }) {
    this.#deps = deps
  }

  /** A message was accepted an hour ago or earlier, and no call came. */
  get isMissing(): boolean {
    return this.#isMissing
  }

  /** A message was accepted, about which the provider should call. */
  accepted(): void {
    if (this.#hasCalled || this.#isMissing) return
    this.#cancel ??= this.#deps.tools.schedule(patienceMs, () => {
      this.#isMissing = true
      this.#deps.changed()
    })
  }

  called(): void {
    this.stop()
    this.#hasCalled = true
    if (!this.#isMissing) return
    this.#isMissing = false
    this.#deps.changed()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = null
  }
}

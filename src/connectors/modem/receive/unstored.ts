import type { ConnectorTools } from '../../connector-tools.ts'
import type { SweepDeps } from './sweep.ts'

interface Deps {
  tools: Pick<ConnectorTools, 'schedule' | 'log' | 'counters'>
  take: SweepDeps['take']
}

/** Some 200 KB; a modem takes a few SMS a minute. */
const maxKept = 1_000
/** A database that is restarted is back within seconds; later it is asked less often. */
const againMs = { first: 1_000, longest: 60_000 } as const

/**
 * What came on the line and could not be stored, where nothing else has it any more: the modem has acknowledged it to the
 * network (3GPP TS 27.005, section 3.4.4: no AT+CNMA without `CSMS=1`). It is stored as soon as that is possible, in its order,
 * and lost only with this process or where there is no more room; both are counted.
 */
export class Unstored {
  readonly #deps: Deps
  readonly #kept: Buffer[] = []
  #waitMs: number = againMs.first
  #cancel: (() => void) | null = null
  #storing: Promise<void> | null = null
  #isStopped = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  keep(tpdu: Buffer): void {
    if (this.#kept.length === maxKept || this.#isStopped) this.#lost(1)
    else this.#kept.push(tpdu)
    this.#storeLater()
  }

  /** Tries to store it once more; what is then left is lost. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel?.()
    await (this.#storing ?? this.#store())
    this.#lost(this.#kept.splice(0).length)
  }

  #storeLater(): void {
    if (this.#isStopped || this.#kept.length === 0 || this.#cancel !== null || this.#storing !== null) return
    this.#cancel = this.#deps.tools.schedule(this.#waitMs, () => {
      this.#cancel = null
      this.#waitMs = Math.min(2 * this.#waitMs, againMs.longest)
      this.#storing = this.#store().finally(() => {
        this.#storing = null
        this.#storeLater()
      })
    })
  }

  async #store(): Promise<void> {
    for (let [next] = this.#kept; next !== undefined; [next] = this.#kept) {
      if ((await this.#deps.take(next)) === 'kept') return
      this.#kept.shift()
      this.#waitMs = againMs.first
    }
  }

  #lost(count: number): void {
    for (let i = 0; i < count; i++) this.#deps.tools.counters?.unparsed('pdu', 'received, and not stored')
    if (count > 0) this.#deps.tools.log('error', 'received SMS or reports could not be stored', { count })
  }
}

import { minuteMs } from '../../runtime/clock.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import { readDocument } from './answers/read-document.ts'
import { findText } from './declaration/pointer.ts'
import type { Exchange } from './exchange.ts'

/** Balances change with each message; this often is enough to see one run dry, and no provider minds. */
const askEveryMs = 15 * minuteMs

interface Deps {
  tools: ConnectorTools
  exchange: Exchange
  /** At or below it the balance is low; null: never. */
  alertAt: number | null
  changed(): void
}

/** Asks for the balance of an account every 15 min. */
export class BalanceWatch {
  readonly #deps: Deps
  #cancel: (() => void) | null = null
  #isStopped = false
  #amount: number | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Null until it was read. */
  get amount(): number | null {
    return this.#amount
  }

  get isLow(): boolean {
    const { alertAt } = this.#deps
    return alertAt !== null && this.#amount !== null && this.#amount <= alertAt
  }

  /** Asks now, and from now on. Nothing is asked without an alert: nothing would show it. */
  start(): void {
    const { exchange, alertAt } = this.#deps
    if (exchange.declaration.balance !== undefined && alertAt !== null) void this.#ask()
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
  }

  async #ask(): Promise<void> {
    const { exchange, tools, changed } = this.#deps
    const { balance } = exchange.declaration
    if (balance === undefined) return
    const exchanged = await exchange.ask(balance, {})
    if (this.#isStopped) return
    this.#cancel = tools.schedule(askEveryMs, () => void this.#ask())
    const isFine = exchanged.kind === 'answered' && exchanged.answer.status === 200
    const read = isFine
      ? Number(findText(readDocument(exchanged.answer.body), balance.amount) ?? Number.NaN)
      : Number.NaN
    if (Number.isNaN(read)) return
    const wasLow = this.isLow
    this.#amount = read
    if (this.isLow !== wasLow) changed()
  }
}

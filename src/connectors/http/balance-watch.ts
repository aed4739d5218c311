import { minuteMs } from '../../runtime/clock.ts'
import type { Health } from '../health.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import { readDocument } from './answers/read-document.ts'
import { findText } from './declaration/pointer.ts'
import type { Exchange, Exchanged } from './exchange.ts'

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
  #balance: NonNullable<Health['balance']> | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Null until it was read. */
  get balance(): NonNullable<Health['balance']> | null {
    return this.#balance
  }

  get isLow(): boolean {
    const { alertAt } = this.#deps
    return alertAt !== null && this.#balance !== null && this.#balance.amount <= alertAt
  }

  /** Asks now, and from now on. */
  start(): void {
    if (this.#deps.exchange.declaration.balance !== undefined) void this.#ask()
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
  }

  /** Reads what the provider answered to the question for the balance; anything else is no news. */
  read(exchanged: Exchanged): void {
    const { exchange, tools, changed } = this.#deps
    const { balance } = exchange.declaration
    if (balance === undefined || exchanged.kind !== 'answered' || exchanged.answer.status !== 200) return
    const document = readDocument(exchanged.answer.body)
    const amount = Number(findText(document, balance.amount) ?? Number.NaN)
    if (!Number.isFinite(amount)) return
    const wasLow = this.isLow
    this.#balance = { amount, currency: currencyOf(balance, document), at: tools.now() }
    if (this.isLow !== wasLow) changed()
  }

  async #ask(): Promise<void> {
    const { exchange, tools } = this.#deps
    const { balance } = exchange.declaration
    if (balance === undefined) return
    const exchanged = await exchange.ask(balance, {})
    if (this.#isStopped) return
    this.#cancel = tools.schedule(askEveryMs, () => void this.#ask())
    this.read(exchanged)
  }
}

type DeclaredBalance = NonNullable<Exchange['declaration']['balance']>

/** A declaration names the currency, or where the answer does. */
export function currencyOf({ currency }: DeclaredBalance, document: unknown): string | null {
  if (currency === undefined) return null
  if (typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)) return currency
  const read = findText(document, currency)
  return read !== null && /^[A-Za-z]{3}$/.test(read) ? read.toUpperCase() : null
}

import type { ConnectorTools } from '../../connector-tools.ts'
import type { Ask } from '../at/ask.ts'
import { ussdText } from '../receive/ussd-text.ts'

/** How the credit of a prepaid SIM is asked for. */
export interface CreditSettings {
  /** The USSD code of the network, such as `*100#`. */
  code: string
  everyMs: number
  /** Finds the amount in the answer, as its first group, or as the whole match without one. */
  pattern: RegExp
  /** Below this amount the credit is low; null: never. */
  low: number | null
}

interface Deps {
  tools: Pick<ConnectorTools, 'now' | 'monotonicMs' | 'log'>
  settings: CreditSettings
  /** Whether no message is being sent: some modems refuse one while they wait for the network's answer. */
  isIdle(): boolean
  changed(): void
}

/** A network answers within this, or not at all. */
const answerMs = 60_000
/** Lines of one answer; menus of networks have fewer letters. */
const maxLetters = 1_000

/** What a modem says by itself, also between the lines of an answer; a number or a code in the text begins with a digit. */
const notice = /^[+^*%$#&][A-Z]/

/**
 * The credit of a SIM, asked for by USSD (3GPP TS 27.007, section 7.15) from time to time. The answer may come before
 * the OK, after it, or never, and may have several lines. Its text is not kept: it may name the number of the SIM.
 */
export class CreditWatch {
  readonly #deps: Deps
  #credit: { amount: number; at: number } | null = null
  #dueMs = Number.NEGATIVE_INFINITY
  #awaitedUntilMs = Number.NEGATIVE_INFINITY
  #begun: string | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The last amount that the network named, in the unit of the network, and when; null before. */
  get credit(): { amount: number; at: number } | null {
    return this.#credit
  }

  get isLow(): boolean {
    const { low } = this.#deps.settings
    return low !== null && this.#credit !== null && this.#credit.amount < low
  }

  /** Asks the network when it is due. The answer comes by `take`, later. */
  async look(ask: Ask): Promise<void> {
    const { tools, settings, isIdle } = this.#deps
    const nowMs = tools.monotonicMs()
    if (nowMs < this.#dueMs || !isIdle()) return
    this.#dueMs = nowMs + settings.everyMs
    this.#awaitedUntilMs = nowMs + answerMs
    // None of its lines is asked for here: of several only the first has a prefix, and they belong together.
    await ask(`AT+CUSD=1,"${settings.code}",15`)
  }

  /** Takes a line of the modem; false for one that is none of the awaited answer. */
  take(line: string, ask: Ask): boolean {
    if (this.#deps.tools.monotonicMs() > this.#awaitedUntilMs) this.#begun = null
    else if (line.startsWith('+CUSD:')) this.#begun = line
    else if (this.#begun === null || notice.test(line)) return false
    else this.#begun += `\n${line}`
    if (this.#begun === null) return false
    const isWhole = (this.#begun.match(/"/g) ?? []).length !== 1
    if (isWhole || this.#begun.length > maxLetters) this.#finish(this.#begun, ask)
    return true
  }

  #finish(answer: string, ask: Ask): void {
    this.#begun = null
    this.#awaitedUntilMs = Number.NEGATIVE_INFINITY
    const [, state = '', text = ''] = /^\+CUSD: ?(\d)(?:,"([^"]*)"?)?/.exec(answer) ?? []
    // The network asks for more: the menu is left, since a modem may refuse to send until then.
    if (state === menuOpen) void ask('AT+CUSD=2')
    const { tools, settings, changed } = this.#deps
    const credit = amountIn(ussdText(text), settings.pattern)
    if (credit === null) {
      tools.log('warn', 'the answer about the credit of a SIM has no amount', { state, letters: text.length })
      return
    }
    this.#credit = { amount: credit, at: tools.now() }
    tools.log('info', 'the credit of a SIM', { credit })
    changed()
  }
}

const menuOpen = '1'

/** Returns the amount in a text; `12,34` and `12.34` are the same. */
export function amountIn(text: string, pattern: RegExp): number | null {
  const [whole, group = whole] = pattern.exec(text) ?? []
  const digits = group?.trim().replace(',', '.')
  return digits !== undefined && /^-?\d{1,9}(?:\.\d{1,4})?$/.test(digits) ? Number(digits) : null
}

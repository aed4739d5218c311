import { tpduOf } from '../pdu/incoming-pdu.ts'
import { type AtLine, valuesOf } from './at-command.ts'

interface Announcement {
  text: string
  length: number
  isAnswer: boolean
}

/** More cannot be open at once: of an answer and of each kind of unsolicited line. */
const maxOpen = 4
const unsolicited = /^\+(?:CMT|CDS|CBM):/

/** A line with its PDU, and whether it belongs to the answer of a command. */
type Taken = (line: AtLine, isAnswer: boolean) => void

/**
 * Joins lines that announce a PDU with the PDU, which is the next line of the announced length. Noise may come
 * between them: a line that is no such PDU is looked at as any other.
 */
export class PduLines {
  readonly #taken: Taken
  #open: Announcement[] = []

  constructor(taken: Taken) {
    this.#taken = taken
  }

  /** Takes the PDU of an announcement; false for any other line. */
  take(text: string): boolean {
    for (const [index, { text: announced, length, isAnswer }] of this.#open.entries()) {
      const tpdu = tpduOf(text, length)
      if (tpdu === null) continue
      this.#open.splice(index, 1)
      this.#taken({ text: announced, tpdu }, isAnswer)
      return true
    }
    return false
  }

  /** Records a line that announces a PDU by its last value; false for any other. */
  announce(text: string, isAnswer: boolean): boolean {
    if (!isAnswer && !unsolicited.test(text)) return false
    const length =
      valuesOf(text)
        .at(-1)
        ?.replace(/^\+\w+: ?/, '') ?? ''
    if (!/^\d{1,3}$/.test(length)) return false
    if (this.#open.length === maxOpen) this.#lose(this.#open.splice(0, 1))
    this.#open.push({ text, length: Number(length), isAnswer })
    return true
  }

  /** The answer has ended: the PDUs that it announced do not come any more. */
  endAnswer(): void {
    const lost = this.#open.filter(({ isAnswer }) => isAnswer)
    this.#open = this.#open.filter(({ isAnswer }) => !isAnswer)
    this.#lose(lost)
  }

  #lose(lost: readonly Announcement[]): void {
    for (const { text, isAnswer } of lost) this.#taken({ text, tpdu: null }, isAnswer)
  }
}

/** What a modem said: a line without its end, or that it awaits the PDU. */
export type AtEvent = { kind: 'line'; text: string } | { kind: 'prompt' }

/** Longer than any line of a standard; the PDU of an SMS has at most 352 digits. What a line has beyond it is dropped. */
const maxLineOctets = 4_096
const cr = 0x0d
const lf = 0x0a
const promptSign = 0x3e
const blank = 0x20
/** NUL is noise of the line; Ctrl-Z and ESC are echoes of ours. */
const dropped: ReadonlySet<number> = new Set([0x00, 0x1a, 0x1b])

/**
 * Splits the octets of a modem into lines (ITU-T V.250, section 5.7). A line ends with CR, LF, or several of them:
 * Huawei writes CR CR LF, and some begin a line without an end of the one before. Empty lines are dropped. Texts are
 * Latin-1, one character for each octet.
 */
export class AtReader {
  readonly #emit: (event: AtEvent) => void
  #line: number[] = []
  #expectsPrompt = false

  constructor(emit: (event: AtEvent) => void) {
    this.#emit = emit
  }

  /** Whether a `>` at the beginning of a line is a prompt (3GPP TS 27.005, section 3.5.1), and not the beginning of a text. */
  expectPrompt(isExpected: boolean): void {
    this.#expectsPrompt = isExpected
  }

  push(octets: Uint8Array): void {
    for (const octet of octets) this.#take(octet)
  }

  /** Drops the line that has begun. */
  clear(): void {
    this.#line = []
  }

  #take(octet: number): void {
    if (dropped.has(octet)) return
    const isEnd = octet === cr || octet === lf
    if (this.#expectsPrompt && this.#isPromptSign() && (isEnd || octet === blank)) {
      this.#line = []
      this.#expectsPrompt = false
      this.#emit({ kind: 'prompt' })
      return
    }
    if (!isEnd) {
      if (this.#line.length < maxLineOctets) this.#line.push(octet)
      return
    }
    const text = Buffer.from(this.#line).toString('latin1').trim()
    this.#line = []
    if (text !== '') this.#emit({ kind: 'line', text })
  }

  #isPromptSign(): boolean {
    return this.#line.length === 1 && this.#line[0] === promptSign
  }
}

import fc from 'fast-check'

/** Words from the start, or one that is another each time. */
type Given = Readonly<Record<string, readonly string[] | (() => string)>>

/**
 * What earlier answers said, by the parameter or member that may hold it: a made-up id names nothing, and a made-up cursor leads
 * nowhere. What the service takes and no answer says can be given from the start.
 */
export class HeardWords {
  readonly #given: Given
  readonly #heard = new Map<string, string[]>()

  constructor(given: Given) {
    this.#given = given
  }

  /** Keeps the words of an answer, the last ones of each name. */
  note(answer: unknown, name = ''): void {
    if (typeof answer === 'string') this.#keep(name, answer)
    else if (Array.isArray(answer)) for (const item of answer) this.note(item, name)
    else if (typeof answer === 'object' && answer !== null)
      // The names of metadata are anybody's.
      for (const [key, value] of Object.entries(answer)) if (key !== 'metadata') this.note(value, key)
  }

  #keep(name: string, word: string): void {
    const prefix = /^([a-z]{3})_[0-9a-z]{26}$/.exec(word)?.[1]
    for (const as of prefix === undefined ? [name] : [name, prefix]) {
      const words = this.#heard.get(as) ?? []
      words.push(word)
      if (words.length > maxKept) words.shift()
      this.#heard.set(as, words)
    }
  }

  /** One of the words for a parameter or member; what is made up where there is none. */
  wordFor(name: string, madeUp: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
    return fc.tuple(fc.nat(), madeUp).map(([which, other]) => {
      const given = this.#given[name] ?? []
      const known = [
        ...(typeof given === 'function' ? [given()] : given),
        ...(this.#heard.get(heardAs[name] ?? name) ?? []),
      ]
      return known.length === 0 ? other : known[which % known.length]
    })
  }
}

const maxKept = 200

/** Under which name an answer says what a parameter takes; ids stand under their prefix, too. */
const heardAs: Readonly<Record<string, string>> = {
  id: 'msg',
  send_id: 'snd',
  user_id: 'usr',
  account: 'acc',
  cursor: 'next_cursor',
  created_after: 'created_at',
  created_before: 'created_at',
  updated_after: 'updated_at',
}

import { type Fault, type FieldCode, refuse } from '../../runtime/errors.ts'
import { nearestName } from '../../runtime/nearest-name.ts'
import { echoedTextFault } from '../../runtime/field-faults.ts'
import { parseInstant } from '../../runtime/instant.ts'

/** More than any sensible request: 100 IDs and every other parameter. */
const maxParameters = 250

/** A fault of a value, as thrown by the readers below. */
class Wrong {
  readonly code: FieldCode
  readonly detail: string
  readonly suggestion: string | undefined

  constructor(code: FieldCode, detail: string, suggestion?: string) {
    this.code = code
    this.detail = detail
    this.suggestion = suggestion
  }
}

const plusHint = 'A bare `+` means a space here. Encode a plus as %2B, and a space as %20.'

/** Reads a value; `raw` is its undecoded text. */
type Read<T> = (text: string, raw: string) => T

/**
 * Reads the query of one request strictly: unknown and repeated parameters are faults. Read every parameter,
 * then call `end`, which throws one `invalid_query` with all faults.
 */
export class QueryReader {
  readonly #values = new Map<string, { text: string; raw: string }[]>()
  readonly #faults: Fault[] = []
  readonly #known: readonly string[]

  /** `raw` is the query after the `?`, undecoded; `known` are the parameters of the operation. */
  constructor(raw: string, known: readonly string[]) {
    this.#known = known
    const pairs = raw === '' ? [] : raw.split('&').filter((pair) => pair !== '')
    if (pairs.length > maxParameters)
      throw refuse('invalid_query', { detail: `The query must have at most ${maxParameters} parameters.` })
    for (const pair of pairs) this.#take(pair)
  }

  /**
   * Returns the value of a parameter that can be given once, read by `read`; null when it is missing or
   * invalid.
   */
  one<T>(name: string, read: Read<T>): T | null {
    const values = this.#values.get(name) ?? []
    if (values.length > 1) this.fault(name, 'repeated_parameter', `\`${name}\` must be given only once.`)
    return values.length === 1 && values[0] !== undefined ? this.#read(name, values[0], read) : null
  }

  /** Returns the distinct values of a parameter that can appear up to `max` times. */
  many<T>(name: string, max: number, read: Read<T>): T[] {
    const values = this.#values.get(name) ?? []
    if (values.length > max) {
      this.fault(name, 'too_many_items', `\`${name}\` can be given at most ${max} times.`)
      return []
    }
    return [
      ...new Set(values.map((value) => this.#read(name, value, read)).filter((value) => value !== null)),
    ]
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  get names(): string[] {
    return [...this.#values.keys()]
  }

  fault(parameter: string, code: FieldCode, detail: string, suggestion?: string): void {
    this.#faults.push({ parameter, code, detail, ...(suggestion === undefined ? {} : { suggestion }) })
  }

  /** Throws when there are faults. */
  end(): void {
    if (this.#faults.length > 0) throw refuse('invalid_query', { errors: this.#faults.slice(0, 100) })
  }

  #take(pair: string): void {
    const [rawName = '', ...rest] = pair.split('=')
    const name = decoded(rawName)
    const raw = rest.join('=')
    const text = decoded(raw)
    if (name === null || text === null) {
      this.fault(name ?? rawName.slice(0, 100), 'invalid_format', 'Must be valid percent-encoded UTF-8.')
    } else if (this.#known.includes(name)) {
      this.#values.set(name, [...(this.#values.get(name) ?? []), { text, raw }])
    } else {
      const near = nearestName(name, this.#known)
      const sentence = `Unknown parameter \`${name.slice(0, 100)}\`.`
      this.fault(
        name.slice(0, 100),
        'unknown_parameter',
        near === null ? sentence : `${sentence} Did you mean \`${near}\`?`,
        near ?? undefined,
      )
    }
  }

  #read<T>(name: string, { text, raw }: { text: string; raw: string }, read: Read<T>): T | null {
    const unfit = echoedTextFault('', text)
    if (unfit !== null) {
      this.fault(name, unfit.code, unfit.detail)
      return null
    }
    try {
      return read(text, raw)
    } catch (wrong) {
      if (!(wrong instanceof Wrong)) throw wrong
      this.fault(name, wrong.code, wrong.detail, wrong.suggestion)
      return null
    }
  }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

/** Reads a whole number from `min` to `max`. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    if (!/^\d{1,15}$/.test(text)) throw new Wrong('wrong_type', 'Must be a whole number.')
    const value = Number(text)
    if (value < min || value > max) throw new Wrong('out_of_range', `Must be from ${min} to ${max}.`)
    return value
  }

/** Reads one of a list of values. */
export const word =
  <const T extends string>(words: readonly T[]) =>
  (text: string): T => {
    const found = words.find((candidate) => candidate === text)
    if (found !== undefined) return found
    const near = nearestName(text, words)
    throw new Wrong('not_in_enum', `Must be one of ${words.join(', ')}.`, near ?? undefined)
  }

/** Reads text for which `holds` is true; `rule` is the sentence for other text. */
export const textThat =
  (holds: (text: string) => boolean, rule: string) =>
  (text: string): string => {
    if (!holds(text)) throw new Wrong('invalid_format', rule)
    return text
  }

/** Reads text that can contain a `+`. A bare one is refused, because it could mean a plus or a space. */
export const textWithPlus =
  (read: (text: string) => string): Read<string> =>
  (text, raw) => {
    if (raw.includes('+')) throw new Wrong('invalid_format', plusHint, raw.replaceAll('+', '%2B'))
    return read(text)
  }

/** Reads a phone number in E.164, a short code, or the name of a sender. */
export const address = textWithPlus((text) => {
  const written = withoutSeparators(text)
  if (
    /^\+[1-9]\d{6,14}$/.test(written) ||
    /^\d{3,15}$/.test(written) ||
    /^(?=.*[A-Za-z])[\x20-\x7e]{1,11}$/.test(written)
  )
    return written
  throw new Wrong(
    'invalid_format',
    'Must be a number in E.164 such as +4915112345678, a short code or a sender name.',
  )
})

/**
 * Reads the sender of a message. Networks set senders of received messages freely, so any text that a message
 * can have is accepted.
 */
export const sender = textWithPlus((text) => {
  const written = withoutSeparators(text)
  if (written.length >= 1 && written.length <= maxSenderLength) return written
  throw new Wrong('invalid_format', `Must have 1 to ${maxSenderLength} characters.`)
})

/**
 * More than any network uses: SMPP 3.4 allows 20 (section 5.2.8), and phones report what their network sent.
 */
const maxSenderLength = 64

/**
 * Returns the text unchanged. Refuses a number with separators: E.164 has none, and neither has any stored
 * number.
 */
function withoutSeparators(text: string): string {
  const digits = text.replace(/[\s().-]/g, '')
  if (digits !== text && /^\+[1-9]\d{6,14}$/.test(digits))
    throw new Wrong('invalid_format', 'Must be in E.164, without spaces or dashes.', digits)
  return text
}

/** Reads a time by RFC 3339 section 5.6, with any offset, as milliseconds. */
export function instant(text: string): number {
  if (/^\d{4}-\d\d-\d\d[Tt][\d:.]+ \d\d:\d\d$/.test(text))
    throw new Wrong('invalid_format', plusHint, text.replace(' ', '%2B'))
  const read = parseInstant(text)
  if (typeof read !== 'number') throw new Wrong('invalid_format', read.detail, read.suggestion)
  return read
}

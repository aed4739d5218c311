import { type Fault, type FieldCode, refuse } from '../runtime/errors.ts'
import { nearestName } from '../runtime/nearest-name.ts'
import { echoedTextFault } from '../runtime/field-faults.ts'
import { readInstant } from '../runtime/instant.ts'

/** More parameters than any sensible request has: 100 ids and every other one. */
const maxParameters = 250

/** What is wrong with a value, as thrown by the readers below. */
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

const plusHint = 'A bare `+` means a space here: send a plus as %2B, and a space as %20.'

/** Reads a value; `raw` is what was sent for it. */
type Read<T> = (text: string, raw: string) => T

/**
 * The query of one request, read strictly: what nobody asked for is a fault, and so is a parameter that stands twice. Ask for every parameter,
 * then call `end`, which throws `invalid_query` with all the faults at once.
 */
export class QueryReader {
  readonly #values = new Map<string, { text: string; raw: string }[]>()
  readonly #faults: Fault[] = []
  readonly #known: readonly string[]

  /** `raw` is what stands behind the `?`, undecoded; `known` are the names that the operation takes. */
  constructor(raw: string, known: readonly string[]) {
    this.#known = known
    const pairs = raw === '' ? [] : raw.split('&').filter((pair) => pair !== '')
    if (pairs.length > maxParameters)
      throw refuse('invalid_query', { detail: `At most ${maxParameters} parameters may be sent.` })
    for (const pair of pairs) this.#take(pair)
  }

  /** The value of a parameter that may stand once, read by `read`; null when it is missing or wrong. */
  one<T>(name: string, read: Read<T>): T | null {
    const values = this.#values.get(name) ?? []
    if (values.length > 1) this.fault(name, 'repeated_parameter', `\`${name}\` may stand once.`)
    return values.length === 1 && values[0] !== undefined ? this.#read(name, values[0], read) : null
  }

  /** The values of a parameter that may stand up to `most` times, without repeats. */
  many<T>(name: string, most: number, read: Read<T>): T[] {
    const values = this.#values.get(name) ?? []
    if (values.length > most) {
      this.fault(name, 'too_many_items', `\`${name}\` may stand at most ${most} times.`)
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

  /** Throws when anything was wrong. */
  end(): void {
    if (this.#faults.length > 0) throw refuse('invalid_query', { errors: this.#faults.slice(0, 100) })
  }

  #take(pair: string): void {
    const [rawName = '', ...rest] = pair.split('=')
    const name = decoded(rawName)
    const raw = rest.join('=')
    const text = decoded(raw)
    if (name === null || text === null) {
      this.fault(name ?? rawName.slice(0, 100), 'invalid_format', 'It is not valid percent-encoded UTF-8.')
    } else if (this.#known.includes(name)) {
      this.#values.set(name, [...(this.#values.get(name) ?? []), { text, raw }])
    } else {
      const near = nearestName(name, this.#known)
      const says = `There is no parameter \`${name.slice(0, 100)}\` here.`
      this.fault(
        name.slice(0, 100),
        'unknown_parameter',
        near === null ? says : `${says} Did you mean \`${near}\`?`,
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

/** A whole number from `least` to `most`. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    if (!/^\d{1,15}$/.test(text)) throw new Wrong('wrong_type', 'Must be a whole number.')
    const value = Number(text)
    if (value < least || value > most) throw new Wrong('out_of_range', `Must be from ${least} to ${most}.`)
    return value
  }

/** One of a list of words. */
export const word =
  <const T extends string>(words: readonly T[]) =>
  (text: string): T => {
    const found = words.find((candidate) => candidate === text)
    if (found !== undefined) return found
    const near = nearestName(text, words)
    throw new Wrong('not_in_enum', `Must be one of ${words.join(', ')}.`, near ?? undefined)
  }

/** Text for which `holds` is true; `rule` says what it must be. */
export const textThat =
  (holds: (text: string) => boolean, rule: string) =>
  (text: string): string => {
    if (!holds(text)) throw new Wrong('invalid_format', rule)
    return text
  }

/** Text as `read` takes it, of which a `+` may be part: whoever sends a bare one has not said whether it is one or a space. */
export const textWithPlus =
  (read: (text: string) => string): Read<string> =>
  (text, raw) => {
    if (raw.includes('+')) throw new Wrong('invalid_format', plusHint, raw.replaceAll('+', '%2B'))
    return read(text)
  }

/** A phone number in E.164, a short code, or the name of a sender. */
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
    'Must be a number in E.164 such as +4915112345678, a short code or the name of a sender.',
  )
})

/** The sender of a message. Networks show received ones under whatever they like, so that it may be anything that a message has. */
export const sender = textWithPlus((text) => {
  const written = withoutSeparators(text)
  if (written.length >= 1 && written.length <= longestSender) return written
  throw new Wrong('invalid_format', `Must have 1 to ${longestSender} characters.`)
})

/** More than any network has: SMPP 3.4 names 20 (section 5.2.8), and phones tell what their network wrote. */
const longestSender = 64

/** The text as it is. Refuses a number with separators: E.164 has none, and no message has it so. */
function withoutSeparators(text: string): string {
  const digits = text.replace(/[\s().-]/g, '')
  if (digits !== text && /^\+[1-9]\d{6,14}$/.test(digits))
    throw new Wrong('invalid_format', 'A number is written in E.164, without spaces or dashes.', digits)
  return text
}

/** An instant by RFC 3339 section 5.6, with any offset, in milliseconds. */
export function instant(text: string): number {
  if (/^\d{4}-\d\d-\d\d[Tt][\d:.]+ \d\d:\d\d$/.test(text))
    throw new Wrong('invalid_format', plusHint, text.replace(' ', '%2B'))
  const read = readInstant(text)
  if (typeof read !== 'number') throw new Wrong('invalid_format', read.detail, read.suggestion)
  return read
}

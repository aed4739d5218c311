import { isCountry } from '../numbers/numbering-plan.ts'
import { measureText } from '../sms/sms-text.ts'

/** A whole number within bounds. Throws what would be right. */
export const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new Error(`needs a whole number from ${least} to ${most}`)
    return value
  }
/** One of some words. Throws what would be right. */
export const oneOf =
  <const T extends readonly string[]>(...values: T) =>
  (text: string): T[number] => {
    if (!values.includes(text)) throw new Error(`needs one of ${values.join(', ')}`)
    return text
  }
/** Any text but none. Throws what would be right. */
export const someText = (text: string): string => {
  if (text.trim() === '') throw new Error('must not be empty')
  return text
}
/** What stands in a list without quotes: the name of a server. Throws what would be right. */
export const nodeName = (text: string): string => {
  if (!/^[\w.-]{1,100}$/.test(text))
    throw new Error('needs 1 to 100 letters, digits, dots, dashes and underscores')
  return text
}
/** The origin of an address: scheme, host and port. Throws what would be right. */
export const httpOrigin = (text: string): string => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error('needs an http or https address such as https://sms.example.org')
  return url.origin
}
/** Texts with commas between. */
export const list = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
/** Words with commas between, each with a letter or a digit: one without would be every text that has none. Throws what would be right. */
export const wordList = (text: string): readonly string[] => {
  const words = list(text)
  const empty = words.find((word) => !/[\p{L}\p{N}]/u.test(word.normalize('NFKD')))
  if (empty !== undefined) throw new Error(`needs words with a letter or a digit; '${empty}' has none`)
  return words
}
/** Some of these words, in any case, with commas between. Throws what would be right. */
export const someOf =
  (...words: readonly string[]) =>
  (text: string): readonly string[] => {
    const given = list(text).map((word) => word.toUpperCase())
    if (!given.every((word) => words.includes(word))) throw new Error(`needs some of ${words.join(', ')}`)
    return given
  }
/** A secret that nobody guesses. Throws what would be right. */
export const longSecret = (text: string): string | null => {
  if (text.length < 32) throw new Error('needs at least 32 characters')
  return text
}

export const smtpUrl = (text: string): string | null => {
  const url = URL.parse(text)
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    throw new Error('needs an smtp or smtps address such as smtp://user:password@mail.example.org:587')
  return text
}

/** The address of a PostgreSQL database. Throws what would be right. */
export const postgresUrl = (text: string): string | null => {
  const url = URL.parse(text)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Error('needs a PostgreSQL address such as postgres://onesixty@db.example.org/onesixty')
  return text
}

/** A text that is sent by itself, of at most three parts; `off` for none. Throws what would be right. */
export const shortMessage = (text: string): string | null => {
  if (text.trim().toLowerCase() === 'off') return null
  if (measureText(text, 'auto').parts > 3) throw new Error('needs a text of at most three parts, or off')
  return someText(text)
}

/** Countries by ISO 3166 with commas between; null for `all`, an empty list for `none`. Throws what would be right. */
export const countriesOf = (text: string): readonly string[] | null => {
  if (text === 'all') return null
  if (text === 'none') return []
  const codes = list(text)
  if (codes.length === 0 || !codes.every((code) => isCountry(code)))
    throw new Error('needs "all", "none", or codes of countries such as DE,AT,CH')
  return codes
}

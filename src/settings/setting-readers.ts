import { isIPv4 } from 'node:net'
import { isCountry } from '../numbers/numbering-plan.ts'
import { measureText } from '../sms/sms-text.ts'

/** Reads a whole number within bounds. Like all readers here it throws what is required. */
export const wholeNumber =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new Error(`needs a whole number from ${min} to ${max}`)
    return value
  }
/** Reads one of these values. */
export const oneOf =
  <const T extends readonly string[]>(...values: T) =>
  (text: string): T[number] => {
    if (!values.includes(text)) throw new Error(`needs one of ${values.join(', ')}`)
    return text
  }
/** Reads any text that is not blank. */
export const someText = (text: string): string => {
  if (text.trim() === '') throw new Error('must not be empty')
  return text
}
/** Reads what commands begin with: one line, because it becomes part of sentences. 300 characters hold every path that a person types. */
export const commandWord = (text: string): string => {
  if (!/^[\p{L}\p{N}\p{P}\p{S} ]{1,300}$/u.test(text) || text.trim() !== text)
    throw new Error('needs 1 to 300 printable characters, without a blank at either end')
  return text
}
/** Reads the name of a server: characters that need no quotes in a list. */
export const nodeName = (text: string): string => {
  if (!/^[\w.-]{1,100}$/.test(text))
    throw new Error('needs 1 to 100 letters, digits, dots, dashes and underscores')
  return text
}
/** Reads an address and returns its origin: scheme, host and port. */
export const httpOrigin = (text: string): string => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error('needs an http or https address such as https://sms.example.org')
  return url.origin
}
/** Reads an http or https address with a path, without a slash at its end. */
export const httpUrl = (text: string): string => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error('needs an http or https address such as https://ca.example.org/api/v1')
  return url.href.replace(/\/+$/, '')
}
/** Reads an IPv4 address and a port. */
export const hostAndPort = (text: string): { host: string; port: number } => {
  const [host = '', port = '', ...rest] = text.split(':')
  if (rest.length > 0 || !isIPv4(host) || host === '0.0.0.0')
    throw new Error('needs an IPv4 address of this machine and a port, such as 192.168.1.10:8443')
  return { host, port: wholeNumber(1, 65_535)(port) }
}
/** Splits a text at commas. */
export const list = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
/**
 * Reads keywords separated by commas. Each needs a letter or a digit: one without would match every text that
 * has none.
 */
export const wordList = (text: string): readonly string[] => {
  const keywords = list(text)
  const empty = keywords.find((word) => !/[\p{L}\p{N}]/u.test(word.normalize('NFKD')))
  if (empty !== undefined) throw new Error(`needs keywords with a letter or a digit; '${empty}' has none`)
  return keywords
}
/** Reads some of these keywords, in any case, separated by commas. */
export const someOf =
  (...keywords: readonly string[]) =>
  (text: string): readonly string[] => {
    const chosen = list(text).map((keyword) => keyword.toUpperCase())
    if (!chosen.every((keyword) => keywords.includes(keyword)))
      throw new Error(`needs some of ${keywords.join(', ')}`)
    return chosen
  }
/** Reads a secret that is long enough not to be guessed. */
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

/** Reads the address of a PostgreSQL database. */
export const postgresUrl = (text: string): string | null => {
  const url = URL.parse(text)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Error('needs a PostgreSQL address such as postgres://onesixty@db.example.org/onesixty')
  return text
}

/** Reads an automatic reply of at most three parts; `off` for none. */
export const shortMessage = (text: string): string | null => {
  if (text.trim().toLowerCase() === 'off') return null
  if (measureText(text, 'auto').parts > 3) throw new Error('needs a text of at most three parts, or off')
  return someText(text)
}

/** Reads ISO 3166 countries separated by commas. Returns null for `all` and an empty list for `none`. */
export const countriesOf = (text: string): readonly string[] | null => {
  if (text === 'all') return null
  if (text === 'none') return []
  const codes = list(text)
  if (codes.length === 0 || !codes.every((code) => isCountry(code)))
    throw new Error('needs "all", "none", or codes of countries such as DE,AT,CH')
  return codes
}

import { finalAnswer } from './final-answer.ts'

/** What commands and answers are about that carry names of memories, networks and alphabets in quotes, and nothing of a person. */
const plainQuotes = /^(?:AT)?\+(?:COPS|CPMS|CMTI|CDSI|CSCS|QINDCFG|QURCCFG)\b/
/** A command, an answer or an indication with a name of its own; anything else may be a line of a text. */
const named = /^(?:AT|A\/|[+^*%$#&][A-Z]+:)/i
const words = /^(?:>|RDY|RING|(?:SMS|Call|PB) (?:Ready|DONE)|[A-Z -]*POWER(?:ED)? DOWN)$/
/** Commands with a PIN, a PUK or a password, with or without quotes. */
const secret = /^(AT[+^](?:CPIN|CPWD|CLCK|CPUK)\s*=).*$/i
const pduDigits = /^[0-9A-F]+$/i
const maxLetters = 200

/**
 * Returns a line of a modem as it may be logged (P15): without texts, PDUs, PINs, numbers of people, IMEI, IMSI and
 * ICCID. What is none of the known forms is shown by its length alone.
 */
export function traceLine(line: string): string {
  const text = line.replaceAll('\x1b', '<ESC>').replaceAll('\x1a', '<CTRL-Z>').trim()
  if (/^(?:<ESC>|<CTRL-Z>)$/.test(text) || (finalAnswer(text) !== null && !/\d{5}/.test(text))) return text
  if (pduDigits.test(text) && text.length >= minPduDigits && text.length % 2 === 0)
    return `<${text.length / 2} octets>`
  if (!named.test(text) && !words.test(text)) return `<${text.length} characters>`
  const hidden = text.replace(secret, '$1***')
  const quoted = plainQuotes.test(hidden) ? hidden : hidden.replaceAll(/"[^"]*("|$)/g, '"***"')
  return quoted.replaceAll(/\+?[0-9A-F]{12,}F?|\+?\d{5,}F?/gi, '***').slice(0, maxLetters)
}

/** Shorter ones are values of answers without a name, such as a count. */
const minPduDigits = 4

import type { AtError } from './final-answer.ts'

/** A command, and which lines are its answer. */
export interface AtCommand {
  /** With `AT`, without the CR at its end. */
  text: string
  timeoutMs: number
  /** How its lines begin, such as `+CSQ:`; anything else is unsolicited. Omitted: it has none. */
  prefix?: string
  /** Its lines have no prefix (a maker, a serial number): each that does not look like an unsolicited one is taken. */
  isBare?: true
  /** Each line with the prefix names the length of a PDU, which is the next line. */
  hasPdus?: true
  /** Some modems omit the OK (`+CPIN: READY` of Wavecom): once its line is there, it is awaited for a moment only. */
  mayLackOk?: true
  /** Some modems write its line behind the OK (`+CSQ`): it is awaited for a moment. */
  mayFollowOk?: true
}

/** A line of an answer, and the PDU that it announced. */
export interface AtLine {
  text: string
  /** Without the service centre; null where the line announces none. */
  tpdu: Buffer | null
}

/** How a command ended. After `timeout` its outcome is unknown, and so it is after `closed`, if it was written. */
export type AtAnswer =
  | { kind: 'ok'; lines: readonly AtLine[] }
  | { kind: 'error'; error: AtError; lines: readonly AtLine[] }
  | { kind: 'timeout'; lines: readonly AtLine[] }
  | { kind: 'closed'; lines: readonly AtLine[] }

/** Returns what follows the prefix in the first line of an answer; null without such a line. */
export function valueOf({ lines }: AtAnswer, prefix: string): string | null {
  const line = lines.find(({ text }) => text.startsWith(prefix))
  return line === undefined ? null : line.text.slice(prefix.length).trim()
}

/**
 * Splits a list of values (ITU-T V.250, section 5.4.2): `1,"+CSCA, x",,(0-3)` has four. Quotes are removed, lists in
 * brackets stay whole.
 */
export function valuesOf(text: string): string[] {
  const values = ['']
  let depth = 0
  let isQuoted = false
  for (const letter of text) {
    if (letter === '"') isQuoted = !isQuoted
    if (!isQuoted && letter === '(') depth += 1
    if (!isQuoted && letter === ')') depth -= 1
    if (letter === ',' && !isQuoted && depth === 0) values.push('')
    else values[values.length - 1] += letter
  }
  return values.map((value) => value.trim().replaceAll(/^"|"$/g, ''))
}

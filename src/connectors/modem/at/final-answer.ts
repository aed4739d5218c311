/** Why a modem rejected a command. */
export interface AtError {
  /** `cme` of the equipment (3GPP TS 27.007, section 9.2), `cms` of the message service (TS 27.005, section 3.2.5). */
  source: 'plain' | 'cme' | 'cms'
  /** Null where the modem names none, or writes words. */
  code: number | null
  /** As written, for people: `+CMS ERROR: 500`. */
  text: string
}

/** The last line of an answer. */
export type FinalAnswer = { kind: 'ok' } | { kind: 'error'; error: AtError }

const ok: FinalAnswer = { kind: 'ok' }
/** `COMMAND NOT SUPPORT` is of the Huawei E1752, and `NO CARRIER` of a line that lost its modem. */
const plainErrors: ReadonlySet<string> = new Set(['ERROR', 'COMMAND NOT SUPPORT', 'NO CARRIER'])

/** Codes of words that a modem writes although it was asked for numbers (TS 27.007, section 9.2). */
const codeOfWords: ReadonlyMap<string, number> = new Map([
  ['sim not inserted', 10],
  ['sim pin required', 11],
  ['sim puk required', 12],
  ['sim failure', 13],
  ['sim busy', 14],
  ['sim wrong', 15],
  ['incorrect password', 16],
  ['no network service', 30],
])

/** Reads a line as the last one of an answer; null for any other. */
export function finalAnswer(text: string): FinalAnswer | null {
  if (text === 'OK') return ok
  if (plainErrors.has(text)) return { kind: 'error', error: { source: 'plain', code: null, text } }
  const [, source, value] = /^\+(CM[ES]) ERROR: ?(.*)$/i.exec(text) ?? []
  if (source === undefined || value === undefined) return null
  const words = source.toUpperCase() === 'CME' ? codeOfWords.get(value.toLowerCase()) : undefined
  const code = /^\d{1,5}$/.test(value) ? Number(value) : (words ?? null)
  return { kind: 'error', error: { source: source.toUpperCase() === 'CME' ? 'cme' : 'cms', code, text } }
}

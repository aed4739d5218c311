/** One command of a command line. */
export interface AtCall {
  /** In capitals, with what marks it: `+CMGS`, `^CPIN`, `E`, `&F`. */
  name: string
  form: 'run' | 'read' | 'test' | 'set'
  /** What stands behind `=`, or the number of a basic command; quotes are off. */
  values: readonly string[]
}

/** What a command says. Without an error its end is OK; `silent` ends without a word, because something else says it. */
export interface AtAnswer {
  lines: readonly string[]
  error?: 'ERROR' | { cme: number } | { cms: number }
  isSilent?: true
}

export const ok = (...lines: readonly string[]): AtAnswer => ({ lines })
export const refused: AtAnswer = { lines: [], error: 'ERROR' }
export const cme = (code: number): AtAnswer => ({ lines: [], error: { cme: code } })
export const cms = (code: number): AtAnswer => ({ lines: [], error: { cms: code } })
export const silent: AtAnswer = { lines: [], isSilent: true }

/** Null for a form that the command lacks. */
export type AtHandler = (call: AtCall) => AtAnswer | null | Promise<AtAnswer | null>

/** Reads a command line behind `AT` (V.250 section 5.2): basic commands follow each other, extended ones end with a semicolon. Null where it is none. */
export function readCalls(line: string): AtCall[] | null {
  const calls: AtCall[] = []
  let rest = line.trim()
  while (rest !== '') {
    const basic = /^(&?[A-Z]|\\[A-Z])(\d*)(?:=(\d+)|(\?))?\s*;?/i.exec(rest)
    const extended = /^([+^*$#%][A-Z][A-Z0-9]*)(\?|=\?|=((?:"[^"]*"|[^;"])*))?\s*(?:;|$)/i.exec(rest)
    const found = extended ?? basic
    if (found === null) return null
    calls.push(extended === null ? basicCall(found) : extendedCall(found))
    rest = rest.slice(found[0].length).trimStart()
  }
  return calls
}

const basicCall = ([, name = '', number = '', value, question]: RegExpExecArray): AtCall => ({
  name: name.toUpperCase(),
  form: question === undefined ? 'run' : 'read',
  values: [value ?? number],
})

function extendedCall([, name = '', tail = '', values]: RegExpExecArray): AtCall {
  const form = tail === '' ? 'run' : tail === '?' ? 'read' : tail === '=?' ? 'test' : 'set'
  return { name: name.toUpperCase(), form, values: values === undefined ? [] : splitValues(values) }
}

const splitValues = (values: string): string[] =>
  [...values.matchAll(/(?:^|,)\s*("[^"]*"|[^,]*)/g)].map(([, value = '']) => value.trim().replaceAll('"', ''))

import { UsageError } from './command-errors.ts'

/** RFC 3339 with an offset: a time without one would mean something else on another machine. `option` is named when it is none. */
export function readTime(option: string, text: string): number {
  const form = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)$/
  const at = Date.parse(text)
  if (!form.test(text) || Number.isNaN(at))
    throw new UsageError(`${option} needs a time such as 2027-01-31T00:00:00Z; it was '${text}'.`)
  return at
}

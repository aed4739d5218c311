import { readInstant } from '../api/instant.ts'
import { UsageError } from './command-errors.ts'

const form = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)$/

/**
 * RFC 3339 with an offset, where seconds may be left out: a time without an offset would mean something else on another machine. `option` is named
 * when it is none.
 */
export function readTime(option: string, text: string): number {
  const [, minute = '', seconds = ':00', offset = ''] = form.exec(text) ?? []
  const at = readInstant(minute + seconds + offset)
  if (typeof at !== 'number')
    throw new UsageError(`${option} needs a time such as 2027-01-31T00:00:00Z; it was '${text}'.`)
  return at
}

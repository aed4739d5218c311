import { parseInstant } from '../../runtime/instant.ts'
import { UsageError } from './command-errors.ts'

const form = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)$/

/**
 * Parses RFC 3339 with an offset; seconds are optional. Without an offset the time would differ between machines.
 * `option` is named in the error.
 */
export function readTime(option: string, text: string): number {
  const [, minute = '', seconds = ':00', offset = ''] = form.exec(text) ?? []
  const at = parseInstant(minute + seconds + offset)
  if (typeof at !== 'number')
    throw new UsageError(`${option} must be a time such as 2027-01-31T00:00:00Z, not '${text}'.`)
  return at
}

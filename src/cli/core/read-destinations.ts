import type { Destinations } from '../../storage/tables/route-tables.ts'
import { UsageError } from './command-errors.ts'

const maxPrefixes = 100

/** Reads which numbers a device sends to from the options of `device set`. Throws a `UsageError` for other than digits. */
export function destinationsOf(options: { 'only-to'?: string | undefined; 'not-to'?: string | undefined }): {
  destinations?: Destinations
} {
  const onlyTo = readPrefixes('only-to', options['only-to'], 'all')
  const notTo = readPrefixes('not-to', options['not-to'], 'none')
  return onlyTo === undefined && notTo === undefined
    ? {}
    : { destinations: { ...(onlyTo && { onlyTo }), ...(notTo && { notTo }) } }
}

function readPrefixes(name: string, text: string | undefined, word: string): string[] | undefined {
  if (text === undefined) return undefined
  if (text === word) return []
  const prefixes = text.split(',').map((prefix) => prefix.trim())
  if (prefixes.length > maxPrefixes) throw new UsageError(`--${name} takes at most ${maxPrefixes} prefixes.`)
  if (!prefixes.every((prefix) => /^[0-9]{1,15}$/.test(prefix)))
    throw new UsageError(`--${name} takes the first digits of numbers, without +, such as 33,1, or ${word}.`)
  return prefixes
}

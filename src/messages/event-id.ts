import { hash } from 'node:crypto'
import { idWith } from '../runtime/ids.ts'

/**
 * The id of an event follows from what happened and when: whoever records the same thing again, as a transaction that is run anew does, gives it
 * the same id. The time stands in front as in every id; in the place of chance stands the SHA-256 of what names the happening.
 */
export const eventIdOf = (atMs: number, ...happening: readonly (string | number)[]): string =>
  idWith('evt', atMs, hash('sha256', happening.join('\0'), 'buffer'))

import { createHash } from 'node:crypto'
import { createIds } from '../ids.ts'

/**
 * The id of an event follows from what happened and when: whoever records the same thing again, as a transaction that is run anew does, gives it
 * the same id. The time stands in front as in every id; in the place of chance stands the SHA-256 of what names the happening.
 */
export function eventIdOf(atMs: number, ...happening: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(happening.join('\0')).digest()
  let used = 0
  const fillRandom = (bytes: Uint8Array): void => {
    for (let i = 0; i < bytes.length; i++) bytes[i] = digest[used++ % digest.length] as number
  }
  return createIds({ now: () => atMs, fillRandom })('evt')
}

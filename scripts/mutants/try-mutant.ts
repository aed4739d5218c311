import { join } from 'node:path'
import { type Coverage, root } from './coverage.ts'
import { reasonOf } from './equivalent.ts'
import type { Lane } from './lanes.ts'
import type { Mutant } from './mutants.ts'
import { isNoticedByTypes } from './types-notice.ts'

export interface Tried {
  mutant: Mutant
  /** `hung` is a kill by the time limit; `types` is one by tsc, a step of `npm test`. */
  by: 'test' | 'hung' | 'types' | null
  /** What noticed. */
  noticed: string
  /** How many of the test files that reach the line were run, and how many there are. */
  ran: number
  reaching: number
}

/** Runs the test files that reach the change, the quick ones that reach little else first, until one fails or their times add up to `maxMs`. */
export async function tryMutant(
  lane: Lane,
  coverage: Coverage,
  mutant: Mutant,
  maxMs: number,
): Promise<Tried> {
  const reaching = reachingTests(coverage, mutant)
  const tests: string[] = []
  let sumMs = 0
  for (const { file, ms } of reaching) {
    if (tests.length > 0 && sumMs + ms > maxMs) break
    tests.push(file)
    sumMs += ms
  }
  const numbers = { mutant, ran: tests.length, reaching: reaching.length }
  if (tests.length > 0) {
    const result = await lane.run(
      { texts: { [join(root, mutant.file)]: mutant.text }, tests },
      60_000 + 8 * sumMs,
    )
    if (result === null) return { ...numbers, by: 'hung', noticed: '' }
    const { failed } = result
    if (failed !== null)
      return {
        ...numbers,
        by: 'test',
        noticed: `${failed.file}: ${failed.test} (${firstLine(failed.message)})`,
      }
  }
  // Of one that does not count it would not matter, and takes long.
  if (reasonOf(mutant) === null && (await isNoticedByTypes(mutant)))
    return { ...numbers, by: 'types', noticed: 'tsc' }
  return { ...numbers, by: null, noticed: '' }
}

const firstLine = (message: string): string => message.split('\n')[0]?.slice(0, 150) ?? ''

/** What is loaded with the module is reached by whatever reaches anything in it. */
function reachingTests(coverage: Coverage, { file, block }: Mutant) {
  return Object.entries(coverage)
    .filter(([, { isSound, found }]) => {
      const blocks = found[file] ?? []
      return isSound && (block === null ? blocks.length > 0 : blocks.includes(block))
    })
    .map(([name, { ms, found }]) => ({ file: name, ms, breadth: Object.values(found).flat().length }))
    .toSorted((a, b) => costOf(a) - costOf(b))
}

const costOf = ({ ms, breadth }: { ms: number; breadth: number }): number =>
  (ms + 200) * Math.log2(2 + breadth)

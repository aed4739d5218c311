import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blockAround, findBlocks } from './blocks.ts'
import { findChanges } from './changes.ts'
import { root } from './coverage.ts'
import { parse } from './syntax.ts'

/** One changed program. */
export interface Mutant {
  file: string
  line: number
  /** The line as it is, without its margins; a reason in `equivalent.ts` names it. */
  code: string
  /** `kind: before → after`; of several alike in lines alike, also which one. */
  change: string
  /** In which block of `blocks.ts`; null where the module is loaded. */
  block: number | null
  /** The whole file with the change. */
  text: string
}

const maxShown = 60

/** All of a file, in the order of the text. */
export function mutantsOf(file: string): Mutant[] {
  const text = readFileSync(join(root, file), 'utf8')
  const program = parse(text)
  const blocks = findBlocks(program)
  const seen = new Set<string>()
  const alike = new Map<string, number>()
  return findChanges(text, program).flatMap((change) => {
    const { start, end, kind } = change
    const changed = text.slice(0, start) + change.text + text.slice(end)
    if (seen.has(changed) || changed === text) return []
    seen.add(changed)
    const lineStart = text.lastIndexOf('\n', start - 1) + 1
    const lineEnd = text.indexOf('\n', start)
    const code = text.slice(lineStart, lineEnd < 0 ? undefined : lineEnd).trim()
    const name = `${kind}: ${shown(text.slice(start, end))} → ${shown(change.text)}`
    const which = (alike.get(`${code} ${name}`) ?? 0) + 1
    alike.set(`${code} ${name}`, which)
    return {
      file,
      line: text.slice(0, start).split('\n').length,
      code,
      change: which === 1 ? name : `${name} (${which})`,
      block: blockAround(blocks, { start, end }),
      text: changed,
    }
  })
}

const shown = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line === '') return 'nothing'
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line
}

/** So many of them, chosen by the seed; what else has changed in the program does not change which. */
export function sampleOf(mutants: readonly Mutant[], size: number, seed: string): Mutant[] {
  const drawn = mutants.map((mutant) => ({ mutant, lot: lotOf(mutant, seed) }))
  return drawn
    .toSorted((a, b) => (a.lot < b.lot ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant)
}

const lotOf = ({ file, code, change }: Mutant, seed: string): string =>
  createHash('sha256').update(`${seed}\n${file}\n${code}\n${change}`).digest('hex')

import { againCheck } from './again-check.ts'
import { armCheck } from './arm-check.ts'
import type { Artefacts } from './artefacts.ts'
import { chartCheck } from './chart-check.ts'
import { debCheck, lintianCheck, systemdCheck } from './deb-check.ts'
import { craneCheck, imageCheck } from './image-check.ts'
import { nodesCheck, npmCheck } from './npm-check.ts'
import { oneFileCheck } from './one-file-check.ts'
import type { Check } from './run-checks.ts'
import { suitesCheck } from './suites-check.ts'
import { sumsCheck } from './sums-check.ts'
import { upgradeCheck } from './upgrade-check.ts'

/** The proofs on each part of a release. */
const ofPart: Readonly<Record<string, readonly Check<Artefacts>[]>> = {
  npm: [npmCheck, nodesCheck, suitesCheck],
  sea: [oneFileCheck],
  deb: [debCheck, lintianCheck, systemdCheck, upgradeCheck],
  image: [craneCheck, imageCheck, armCheck],
  chart: [chartCheck],
}
/** Those on all that was built. */
const ofAll: readonly Check<Artefacts>[] = [sumsCheck, againCheck]

/** What is chosen of a release and its proofs. */
export interface Choice {
  parts: readonly string[]
  /** Proofs that are left out, and optional ones that are run. */
  without: readonly string[]
  with: readonly string[]
}

export const allChecks = (): Check<Artefacts>[] => [...ofAll, ...Object.values(ofPart).flat()]

/** Lists the proofs on the parts of a release. */
export const checksOf = (parts: readonly string[]): Check<Artefacts>[] => [
  ...ofAll,
  ...parts.flatMap((part) => ofPart[part] ?? []),
]

/** Throws for a part or a proof that is unknown: a word that is misspelt would check nothing, and hold. */
export function refuseUnknown(choice: Choice): void {
  const names = allChecks().map(({ name }) => name)
  refuse('part', choice.parts, Object.keys(ofPart))
  refuse('check to leave out', choice.without, names)
  refuse('check to run', choice.with, names)
}

function refuse(what: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new Error(
      `Unknown ${what}: ${unknown.map((name) => `'${name}'`).join(', ')}. Possible are ${known.join(', ')}.`,
    )
}

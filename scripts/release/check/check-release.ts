import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeRelease, root, run } from '../release.ts'
import { armCheck } from './arm-check.ts'
import type { Artefacts } from './artefacts.ts'
import { chartCheck } from './chart-check.ts'
import { debCheck, lintianCheck, systemdCheck } from './deb-check.ts'
import { craneCheck, imageCheck } from './image-check.ts'
import { nodesCheck, npmCheck } from './npm-check.ts'
import { oneFileCheck } from './one-file-check.ts'
import { type Check, type CheckMachine, runChecks } from './run-checks.ts'
import { upgradeCheck } from './upgrade-check.ts'

/** The proofs on each part of a release. */
const checksOf: Readonly<Record<string, readonly Check<Artefacts>[]>> = {
  npm: [npmCheck, nodesCheck],
  sea: [oneFileCheck],
  deb: [debCheck, lintianCheck, systemdCheck, upgradeCheck],
  image: [craneCheck, imageCheck, armCheck],
  chart: [chartCheck],
}

const machine: CheckMachine = {
  isRoot: process.getuid?.() === 0,
  has: (tool) => run('sh', ['-c', 'command -v "$1"', 'sh', tool]).then(() => true, () => false), // prettier-ignore
  say: (line) => console.log(line),
}

/**
 * Proves artefacts that were just built, by programs that nobody here wrote: npm, dpkg, systemd, the kernel, crane, helm and qemu. Returns false if one of
 * the proofs fails or could not run. Throws for a name in `without` that no check has.
 */
export async function checkRelease(
  release: Pick<Artefacts, 'version' | 'commit' | 'out'>,
  { parts, without }: { parts: readonly string[]; without: readonly string[] },
): Promise<boolean> {
  const all = Object.values(checksOf).flat()
  const unknown = without.filter((name) => !all.some((check) => check.name === name))
  if (unknown.length > 0)
    throw new Error(`--without has ${unknown.join(', ')}. Possible are ${all.map(({ name }) => name).join(', ')}.`) // prettier-ignore
  const checks = parts.flatMap((part) => checksOf[part] ?? [])
  const scratch = await mkdtemp(join(tmpdir(), 'onesixty-release-check-'))
  try {
    return await runChecks(checks, { on: { ...release, scratch }, without, machine })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

// node scripts/release/check/check-release.ts [PART…]: checks what the last release built, once more.
if (import.meta.main) {
  const parts = process.argv.slice(2)
  const release = await describeRelease(join(root, 'release'))
  const holds = await checkRelease(release, {
    parts: parts.length > 0 ? parts : Object.keys(checksOf),
    without: [],
  })
  if (!holds) process.exitCode = 1
}

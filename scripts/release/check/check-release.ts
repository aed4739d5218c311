import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, run } from '../release.ts'
import type { Artefacts } from './artefacts.ts'
import { type Choice, checksOf, refuseUnknown } from './checks.ts'
import { runAsGroup } from './process-group.ts'
import { type CheckMachine, runChecks } from './run-checks.ts'

/** An end for what hangs: lintian reads two packages for two minutes. */
const usuallyLongestMs = 600_000

const machine: CheckMachine<Artefacts> = {
  isRoot: process.getuid?.() === 0,
  has: (tool) => run('sh', ['-c', 'command -v "$1"', 'sh', tool]).then(() => true, () => false), // prettier-ignore
  say: (line) => console.log(line),
  // What it puts into the folder for temporary files is removed with that of the checks.
  run: ({ name, longestMs = usuallyLongestMs }, on) =>
    runAsGroup(join(import.meta.dirname, 'check-process.ts'), {
      args: [name, JSON.stringify(on)],
      env: { ...process.env, TMPDIR: on.scratch },
      longestMs,
    }),
}

/**
 * Proves artefacts that were just built, by programs of other projects: npm, dpkg, systemd, the kernel, crane, helm and qemu. Each proof is a process of its
 * own, and what it leaves running ends with it. Returns false if one of the proofs fails or could not run. Throws for unknown names.
 */
export async function checkRelease(
  release: Omit<Artefacts, 'scratch' | 'parts'>,
  choice: Choice,
): Promise<boolean> {
  refuseUnknown(choice)
  const scratch = await mkdtemp(join(tmpdir(), 'onesixty-release-check-'))
  try {
    const { version, commit, out } = release
    const on = { version, commit, out, parts: choice.parts, scratch }
    return await runChecks(checksOf(choice.parts), {
      on,
      without: choice.without,
      with: choice.with,
      machine,
    })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

interface Statement {
  predicate: { buildDefinition: { externalParameters: Pick<Artefacts, 'version' | 'commit' | 'parts'> } }
}

/** Reads which release a folder has, as `provenance.json` says. */
async function describeBuilt(out: string): Promise<Omit<Artefacts, 'scratch'>> {
  const text = await readFile(join(out, 'provenance.json'), 'utf8').catch(() => null)
  if (text === null) throw new Error(`${out} has no provenance.json. Run npm run release first.`)
  const { version, commit, parts } = (JSON.parse(text) as Statement).predicate.buildDefinition
    .externalParameters
  return { version, commit, parts, out }
}

// node scripts/release/check/check-release.ts [PART…] [--without NAME] [--with NAME]: checks what the last release built, once more.
if (import.meta.main) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      without: { type: 'string', multiple: true, default: [] },
      with: { type: 'string', multiple: true, default: [] },
    },
  })
  const built = await describeBuilt(join(root, 'release'))
  const parts = positionals.length > 0 ? positionals : built.parts
  if (!(await checkRelease(built, { parts, without: values.without, with: values.with })))
    process.exitCode = 1
}

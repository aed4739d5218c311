import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isDirty, type Release, root } from './release.ts'
import { sha256 } from './sums.ts'

/** Names the way that this file describes; the number changes with what a build reads. It is a name, and no page needs to be there. */
const buildType = 'tag:onesixty,2026:npm-run-release/v1'
/** Whoever runs the command is the builder: a statement that names a machine or a service could not be equal for two of them. */
const builder = 'tag:onesixty,2026:checkout'

/** What a statement names. */
interface Stated extends Pick<Release, 'version' | 'commit'> {
  lockfileSha256: string
  /** Parts that were built (`--only`). */
  parts: readonly string[]
  subjects: readonly { name: string; sha256: string }[]
}

/**
 * Describes how artefacts came about, as an in-toto statement (https://in-toto.io/Statement/v1) with a predicate of
 * SLSA (https://slsa.dev/spec/v1.0/provenance): the commit, the lockfile, the Node.js and the digest of each artefact. Without times, names of machines and
 * signatures: the same commit gives the same statement, and SHA256SUMS, which is what is signed, contains its digest. Artefacts with changes that no commit
 * has name no commit as what they are from.
 */
function describeBuild({ version, commit, lockfileSha256, parts, subjects }: Stated): object {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256: digest }) => ({ name, digest: { sha256: digest } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType,
        externalParameters: { version, commit, parts },
        internalParameters: {},
        resolvedDependencies: [
          isDirty(version)
            ? { name: 'onesixty', annotations: { changedSince: commit } }
            : { name: 'onesixty', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: lockfileSha256 } },
          { name: 'node', uri: `pkg:generic/node@${process.versions.node}` },
        ],
      },
      runDetails: { builder: { id: builder } },
    },
  }
}

/** Writes `provenance.json` next to the artefacts and returns its path. */
export async function writeProvenance(
  { version, commit, out }: Pick<Release, 'version' | 'commit' | 'out'>,
  { files, parts }: { files: readonly string[]; parts: readonly string[] },
): Promise<string> {
  const subjects = await Promise.all(
    files.toSorted().map(async (file) => ({ name: basename(file), sha256: await sha256(file) })),
  )
  const lockfileSha256 = await sha256(join(root, 'package-lock.json'))
  const statement = describeBuild({ version, commit, lockfileSha256, parts, subjects })
  const path = join(out, 'provenance.json')
  await writeFile(path, `${JSON.stringify(statement, null, 2)}\n`)
  return path
}

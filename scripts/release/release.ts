import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const root = join(import.meta.dirname, '../..')

/** What every artefact of one release has in common. */
export interface Release {
  /** That of package.json, and `-dirty` behind it where files were changed since the commit. */
  version: string
  /** The commit that the artefacts are built from, or were until files were changed. */
  commit: string
  /** Time of the commit, in seconds since 1970: the time of every file in an artefact (`SOURCE_DATE_EPOCH`). */
  epochS: number
  /** Folder of the artefacts. */
  out: string
  /** Folder for what the artefacts are made from. */
  work: string
  /** The built program (scripts/build-program.ts). */
  program: string
}

/** Runs a tool and returns what it prints. Rejects with what it says when it fails. */
export async function run(
  tool: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const env = { ...process.env, ...options.env }
  const { stdout } = await promisify(execFile)(tool, args, {
    cwd: root,
    ...options,
    env,
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

const dirty = '-dirty'

/** Says whether artefacts of a version have changes that no commit has. */
export const isDirty = (version: string): boolean => version.endsWith(dirty)

/** Returns the commit that artefacts are of, or says that they have changes. */
export const revisionOf = ({ version, commit }: Pick<Release, 'version' | 'commit'>): string =>
  isDirty(version) ? `${commit}${dirty}` : commit

/** Returns a version as Debian orders it: what Semantic Versioning has behind a hyphen is before the version itself, as behind a tilde (Debian Policy 5.6.12). */
export const debianVersion = (version: string): string => version.replaceAll('-', '~')

/** Describes the release of the commit that is checked out, into the folder `out`. With `changed` files it has another version: the commit is not what it has. */
export async function describeRelease(out: string, { changed = false } = {}): Promise<Release> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  const version = changed ? `${manifest.version}${dirty}` : manifest.version
  const [commit = '', epochS = ''] = (await run('git', ['log', '-1', '--format=%H %ct'])).trim().split(' ')
  const work = join(out, 'work')
  return { version, commit, epochS: Number(epochS), out, work, program: join(work, 'program') }
}

/** Returns the changes that are not committed: an artefact names a commit, and must contain nothing else. */
export const uncommitted = async (): Promise<string> => (await run('git', ['status', '--porcelain'])).trim()

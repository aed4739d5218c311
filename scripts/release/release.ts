import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const root = join(import.meta.dirname, '../..')

/** What every artefact of one release has in common. */
export interface Release {
  version: string
  /** The commit that the artefacts are built from. */
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

/** Describes the release of the commit that is checked out, into the folder `out`. */
export async function describeRelease(out: string): Promise<Release> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  const [commit = '', epochS = ''] = (await run('git', ['log', '-1', '--format=%H %ct'])).trim().split(' ')
  const work = join(out, 'work')
  return { version, commit, epochS: Number(epochS), out, work, program: join(work, 'program') }
}

/** Returns the changes that are not committed: an artefact names a commit, and must contain nothing else. */
export const uncommitted = async (): Promise<string> => (await run('git', ['status', '--porcelain'])).trim()

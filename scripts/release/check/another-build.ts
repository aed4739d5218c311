import { globSync } from 'node:fs'
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { root, run } from '../release.ts'

/** A release that was built from a commit in a folder of its own. */
interface AnotherBuild {
  /** Where its artefacts are. */
  out: string
  remove(): Promise<void>
}

/**
 * Builds parts of a release from a commit, in a clone at `folder`, which is emptied. Its dependencies are those of this checkout where the commit has the
 * same lockfile, otherwise npm installs them. Throws where the history has no such commit.
 */
export async function buildOf(
  commit: string,
  { folder, parts, env = {} }: { folder: string; parts: readonly string[]; env?: Record<string, string> },
): Promise<AnotherBuild> {
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  await remove()
  await mkdir(folder, { recursive: true })
  try {
    await run('git', ['clone', '--quiet', '--no-checkout', root, folder])
    await run('git', ['checkout', '--quiet', '--detach', commit], { cwd: folder })
    await provideDependencies(folder)
    await run(process.execPath, ['scripts/release/main.ts', `--only=${parts.join(',')}`], {
      cwd: folder,
      env,
    })
    return { out: join(folder, 'release'), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function provideDependencies(folder: string): Promise<void> {
  const lockfiles = await Promise.all(
    [root, folder].map((each) => readFile(join(each, 'package-lock.json'), 'utf8')),
  )
  if (lockfiles[0] !== lockfiles[1])
    return void (await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder }))
  // Links in the place of 700 MB: a build writes to none of these files.
  await mkdir(join(folder, 'node_modules'))
  const all = ['-mindepth', '1', '-maxdepth', '1', '!', '-name', '.cache']
  await run('find', [join(root, 'node_modules'), ...all, '-exec', 'cp', '-al', '--target-directory', join(folder, 'node_modules'), '{}', '+']) // prettier-ignore
  const cache = 'node_modules/.cache/onesixty'
  await mkdir(join(folder, cache), { recursive: true })
  await run('cp', ['-al', join(root, cache, 'node'), join(folder, cache)]).catch(() => undefined)
}

/** Copies the artefact of another build that a pattern names, and removes the rest. Throws unless there is one. */
export async function keepOnly({ out, remove }: AnotherBuild, pattern: string, place: string): Promise<void> {
  try {
    const [name, another] = globSync(pattern, { cwd: out })
    if (name === undefined || another !== undefined) throw new Error(`${out} has not one ${pattern}.`)
    await copyFile(join(out, name), place)
  } finally {
    await remove()
  }
}

/**
 * Returns the commit whose program people have before they upgrade: that of the newest version before this one, and until there is one, the last commit
 * that has the migrations of this one without the newest, so that an upgrade migrates a database.
 */
export async function formerCommit(commit: string): Promise<string> {
  const tag = await run('git', ['describe', '--tags', '--abbrev=0', '--match=v*', `${commit}^`]).then(
    (text) => text.trim(),
    () => null,
  )
  if (tag !== null) return (await run('git', ['rev-parse', `${tag}^{commit}`])).trim()
  const known = await migrationsOf(commit)
  const added = ['log', '--max-count=20', '--diff-filter=A', '--format=%H', commit, '--', migrations]
  for (const adding of (await run('git', added)).trim().split('\n')) {
    const former = await run('git', ['rev-parse', '--verify', '--quiet', `${adding}^`]).catch(() => '')
    const its = former === '' ? [] : await migrationsOf(former.trim())
    // Before a release, one may be replaced by another: a database with the former fits no later version.
    if (its.length > 0 && its.length < known.length && its.every((each) => known.includes(each)))
      return former.trim()
  }
  throw new Error(
    'The history has no former version. Fetch all of it (git fetch --unshallow), with its tags.',
  )
}

const migrations = 'src/storage/migrations'

/** Lists the migrations of a commit by name and content. */
const migrationsOf = async (commit: string): Promise<string[]> =>
  (await run('git', ['ls-tree', '-r', commit, '--', migrations])).split('\n').filter((line) => line !== '')

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDirty } from '../release.ts'
import { buildOf } from './another-build.ts'
import { type Artefacts, tools } from './artefacts.ts'
import type { Check } from './run-checks.ts'

/** Another zone, another language and another mask of files than any build has: what is in the bytes must not follow from them. */
const elsewhere = { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8' }
const mask = 0o077

/** The same commit gives the same bytes: a second build, of a clone in a folder of another name and depth, has equal sums. */
export const againCheck: Check<Artefacts> = {
  name: 'again',
  needs: [tools.git],
  longestMs: 3_600_000,
  async run({ version, commit, out, parts }) {
    if (isDirty(version))
      throw new Error('Changes that are not committed cannot be built a second time. Commit them, or leave this out: --without again.') // prettier-ignore
    const before = process.umask(mask)
    const build = await buildOf(commit, { folder: join(out, 'work/again/in another/folder'), parts, env: elsewhere }) // prettier-ignore
    try {
      const [first = '', second = ''] = await Promise.all(
        [out, build.out].map((folder) => readFile(join(folder, 'SHA256SUMS'), 'utf8')),
      )
      const others = differing(first, second)
      if (others.length > 0) throw new Error(`A second build has other sums: ${others.join(', ')}`)
      return `a second build of ${commit.slice(0, 8)} has the same ${first.trim().split('\n').length} sums`
    } finally {
      process.umask(before)
      await build.remove()
    }
  },
}

/** Returns the names whose lines are not in both files of sums. Throws where one has none. */
export function differing(first: string, second: string): string[] {
  const [a, b] = [first, second].map((text) => text.split('\n').filter((line) => line !== ''))
  if (a === undefined || b === undefined || a.length === 0 || b.length === 0)
    throw new Error('SHA256SUMS is empty.')
  const inOne = [...a.filter((line) => !b.includes(line)), ...b.filter((line) => !a.includes(line))]
  return [...new Set(inOne.map((line) => line.slice(66)))].toSorted()
}

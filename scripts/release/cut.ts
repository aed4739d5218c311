import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './release.ts'

const heading = '## [Unreleased]\n'

/**
 * Moves the unreleased changes of a changelog below a heading with the version and its day, and leaves the list of unreleased ones empty. Throws if
 * there are none, or if the version was released before.
 */
export function cutChangelog(text: string, { version, day }: { version: string; day: string }): string {
  const start = text.indexOf(heading)
  if (start < 0) throw new Error('CHANGELOG.md has no [Unreleased].')
  if (text.includes(`\n## [${version}]`))
    throw new Error(
      `CHANGELOG.md has ${version} already. Set the next version: npm version minor --no-git-tag-version.`,
    )
  const body = text.slice(start + heading.length)
  const next = body.indexOf('\n## ')
  const unreleased = next < 0 ? body : body.slice(0, next)
  if (!/^- /m.test(unreleased))
    throw new Error('CHANGELOG.md lists no unreleased change: there is nothing to release.')
  return `${text.slice(0, start)}${heading}\n## [${version}] - ${day}\n${body}`
}

/** `npm run release -- --cut`: cuts CHANGELOG.md for the version of package.json, with the day of today in UTC. */
export async function cut(): Promise<void> {
  const [manifest, file] = [join(root, 'package.json'), join(root, 'CHANGELOG.md')]
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  const day = new Date().toISOString().slice(0, 10)
  await writeFile(file, cutChangelog(await readFile(file, 'utf8'), { version, day }))
  console.log(
    `CHANGELOG.md has ${version} of ${day}. Commit it with package.json, tag v${version}, then npm run release.`,
  )
}

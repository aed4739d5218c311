import { chmod, copyFile, cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packArchive } from './archive.ts'
import { type Release, root } from './release.ts'

/** The lowest Node.js that serves: 24.6 and older lack `argon2` of node:crypto. */
const minNode = '24.8'

/** Lays out the npm package in `folder`: everything that it contains, and nothing that runs when it is installed. */
async function layOutPackage(
  folder: string,
  { version, program, notices }: Pick<Release, 'version' | 'program'> & { notices: string },
): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'bin'), { recursive: true })
  await cp(program, join(folder, 'dist'), { recursive: true })
  await copyFile(join(root, 'scripts/release/npm-launcher.js'), join(folder, 'bin/onesixty.js'))
  await chmod(join(folder, 'bin/onesixty.js'), 0o755)
  for (const file of ['LICENSE', 'CHANGELOG.md']) await copyFile(join(root, file), join(folder, file))
  await writeFile(join(folder, 'THIRD-PARTY-NOTICES'), notices)
  const manifest = {
    name: 'onesixty',
    version,
    description: 'Self-hosted SMS sending service: one HTTP request, one SMS, exact money.',
    license: 'Apache-2.0',
    type: 'module',
    bin: { onesixty: 'bin/onesixty.js' },
    engines: { node: `>=${minNode}` },
    dependencies: {},
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Writes the npm package `onesixty-<version>.tgz` and returns its path. npm expects its content in the folder `package`. */
export async function buildNpmPackage(release: Release, notices: string): Promise<string> {
  await layOutPackage(join(release.work, 'npm/package'), { ...release, notices })
  const file = join(release.out, `onesixty-${release.version}.tgz`)
  await packArchive(file, {
    folder: join(release.work, 'npm'),
    members: ['package'],
    epochS: release.epochS,
  })
  return file
}

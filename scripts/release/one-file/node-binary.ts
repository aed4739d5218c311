import { mkdir, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { root, run } from '../release.ts'

/** Processors that artefacts are built for, in the words of Node.js. */
export type Arch = 'x64' | 'arm64'

/** What Debian calls them: its packages, and the tools that read their executables. */
export const debianNames = {
  x64: { arch: 'amd64', triple: 'x86_64-linux-gnu', binutils: 'binutils' },
  arm64: { arch: 'arm64', triple: 'aarch64-linux-gnu', binutils: 'binutils-aarch64-linux-gnu' },
} as const satisfies Record<Arch, object>

export interface NodeBinary {
  /** The executable of Node.js. */
  file: string
  licence: string
}

/**
 * Provides a Node.js for a processor, by default that of the lockfile, from the npm package that `node` installs, which npm verifies. Kept in the cache
 * of the repository, because it has 50 MB.
 */
export async function nodeBinary(arch: Arch, version = process.version): Promise<NodeBinary> {
  const name = `node-linux-${arch}`
  const cache = join(root, 'node_modules/.cache/onesixty/node')
  const folder = join(cache, `${name}-${version}`)
  const known = await stat(folder).catch(() => null)
  if (known === null) {
    await mkdir(cache, { recursive: true })
    const packed = await run('npm', ['pack', `${name}@${version.slice(1)}`, '--json', `--pack-destination=${cache}`]) // prettier-ignore
    const [{ filename } = { filename: '' }] = JSON.parse(packed) as { filename: string }[]
    const fresh = `${folder}.new`
    await mkdir(fresh, { recursive: true })
    await run('tar', [
      '--extract',
      '--file',
      join(cache, filename),
      '--directory',
      fresh,
      '--strip-components=1',
    ])
    await rename(fresh, folder)
  }
  return { file: join(folder, 'bin/node'), licence: await readFile(join(folder, 'LICENSE'), 'utf8') }
}

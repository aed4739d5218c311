import { debianVersion } from '../release.ts'
import { type Artefacts, debianPackage } from './artefacts.ts'
import type { Installed } from './first-start.ts'
import { type MountedTree, mountOverlay, mustRun } from './mounts.ts'

/** The Debian package in a tree, next to copies of it that differ in their version alone. */
export interface DebianTree {
  tree: MountedTree
  /** The program as `sudo onesixty` starts it. */
  installed: Installed
  /** Paths in the tree. */
  packages: { older: string; built: string; newer: string }
  version: string
  /** Copies a package of this machine into the tree with another version, as which it is installed; its path there. */
  rename(file: string, version: string): Promise<string>
  /** Installs a package; the exit code of dpkg, and what it and its scripts wrote. */
  install(file: string): Promise<{ code: number | null; output: string }>
  /** Returns the version that dpkg has installed. */
  installedVersion(): Promise<string>
}

export const dataFolder = '/var/lib/onesixty'
const [before, after] = ['0~before-1', '999-1'] as const

/** Runs `use` on a Debian that is thrown away, where the package lies in three versions and nothing of it is installed. */
export async function inDebian<T>(on: Artefacts, use: (debian: DebianTree) => Promise<T>): Promise<T> {
  const tree = await mountOverlay()
  try {
    return await use(await prepare(on, tree))
  } finally {
    await tree.close()
  }
}

async function prepare(on: Artefacts, tree: MountedTree): Promise<DebianTree> {
  const built = '/tmp/built.deb'
  await mustRun(tree, ['cp', debianPackage(on, 'amd64'), `${tree.root}${built}`], { outside: true })
  // Left behind by nobody: a machine that has the package itself proves nothing.
  await tree.run(['dpkg', '--purge', 'onesixty'])
  await tree.run(['rm', '-rf', dataFolder])
  const version = `${debianVersion(on.version)}-1`
  const packages = { older: await rename(tree, { built, version, to: before }), built, newer: await rename(tree, { built, version, to: after }) } // prettier-ignore
  return {
    tree,
    packages,
    version,
    installed: {
      data: dataFolder,
      start: (args, settings) => tree.start(['onesixty', ...args], { env: settings }),
    },
    async rename(file, to) {
      await mustRun(tree, ['cp', file, `${tree.root}/tmp/given.deb`], { outside: true })
      const given = await mustRun(tree, ['dpkg-deb', '--field', '/tmp/given.deb', 'Version'])
      return rename(tree, { built: '/tmp/given.deb', version: given, to })
    },
    install: (file) => tree.run(['dpkg', '--install', file]),
    installedVersion: () => mustRun(tree, ['dpkg-query', '--show', '--showformat=${Version}', 'onesixty']),
  }
}

/** Packs a copy of a package with another version, in its control file and in the scripts that compare it. */
async function rename(
  tree: MountedTree,
  { built, version, to }: { built: string; version: string; to: string },
): Promise<string> {
  const [folder, file] = [`/tmp/${to}`, `/tmp/${to}.deb`]
  const escaped = version.replaceAll('.', String.raw`\.`)
  await mustRun(tree, ['dpkg-deb', '--raw-extract', built, folder])
  await mustRun(tree, [
    'sed',
    '--in-place',
    `s/${escaped}/${to}/g`,
    `${folder}/DEBIAN/control`,
    `${folder}/DEBIAN/preinst`,
  ])
  await mustRun(tree, ['dpkg-deb', '-Znone', '--build', folder, file])
  await mustRun(tree, ['rm', '-r', folder])
  return file
}

import { globSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Arch, debianNames } from './one-file/node-binary.ts'
import { run } from './release.ts'

/** A file of the distribution that the image contains. */
interface SystemLibrary {
  /** Where the executable finds it. */
  path: string
  file: string
  /** The package, and the file with its licence. */
  name: string
  licence: string
}

/** What Node.js is linked with, as `ldd` lists it, and the Debian packages that contain it. */
const libraries = {
  libc6: ['libc.so.6', 'libdl.so.2', 'libm.so.6', 'libpthread.so.0'],
  'libgcc-s1': ['libgcc_s.so.1'],
  'libstdc++6': ['libstdc++.so.6'],
} as const
const loaders = { x64: 'lib64/ld-linux-x86-64.so.2', arm64: 'lib/ld-linux-aarch64.so.1' } as const
/** The licences of the libraries of GCC are in a package of their own. */
const licences = 'gcc-12-base'

/**
 * Downloads the libraries of an executable from Debian, for any processor. apt verifies the packages; its state is in `folder`, so that the machine
 * keeps its own processor.
 */
export async function systemLibraries(arch: Arch, folder: string): Promise<SystemLibrary[]> {
  const { arch: debianArch, triple } = debianNames[arch]
  const tree = join(folder, 'tree')
  for (const name of ['lists/partial', 'cache/archives/partial', 'tree'])
    await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, 'status'), '')
  const options = {
    'APT::Architecture': debianArch,
    'APT::Architectures': debianArch,
    'APT::Sandbox::User': 'root',
    'Dir::State': folder,
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': join(folder, 'cache'),
  }
  const args = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  await run('apt-get', [...args, 'update'])
  await run('apt-get', [...args, 'download', ...Object.keys(libraries), licences], { cwd: folder })
  for (const name of globSync('*.deb', { cwd: folder }))
    await run('dpkg-deb', ['-x', join(folder, name), tree])
  const licenceOf = (name: string): string =>
    join(tree, 'usr/share/doc', name === 'libc6' ? name : licences, 'copyright')
  const found: SystemLibrary[] = []
  for (const [name, files] of [...Object.entries(libraries), ['libc6', [basename(loaders[arch])]] as const])
    for (const each of files) {
      const places = globSync(`{lib,usr/lib}/${triple}/${each}`, { cwd: tree })
      if (places[0] === undefined) throw new Error(`${name} of Debian has no ${each}.`)
      const path = each.startsWith('ld-') ? loaders[arch] : `lib/${triple}/${each}`
      found.push({ path, file: join(tree, places[0]), name, licence: licenceOf(name) })
    }
  return found
}

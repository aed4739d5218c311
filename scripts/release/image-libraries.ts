import { globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Arch, debianNames } from './one-file/node-binary.ts'
import { run } from './release.ts'

/** A file of the distribution that the image contains. */
interface SystemFile {
  /** Where the executable finds it. */
  path: string
  file: string
}

/** What the image has of the distribution. */
export interface SystemFiles {
  libraries: SystemFile[]
  /** Certificates of the authorities that Mozilla trusts, in PEM: never those of the machine, which may be of a company or a proxy. */
  certificates: string
  packages: { name: string; version: string; arch: string; licence: string }[]
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
const authorities = 'ca-certificates'

/**
 * Downloads the libraries of an executable, and certificates, from Debian, for any processor. apt verifies the packages; its state is in `folder`, so that
 * the machine keeps its own processor.
 */
export async function systemFiles(arch: Arch, folder: string): Promise<SystemFiles> {
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
  await run('apt-get', [...args, 'download', ...Object.keys(libraries), licences, authorities], {
    cwd: folder,
  })
  const licenceOf = (name: string): string =>
    join(tree, 'usr/share/doc', name in libraries && name !== 'libc6' ? licences : name, 'copyright')
  const packages: SystemFiles['packages'] = []
  for (const each of globSync('*.deb', { cwd: folder }).toSorted()) {
    const file = join(folder, each)
    await run('dpkg-deb', ['-x', file, tree])
    const [name = '', version = '', built = ''] = (
      await run('dpkg-deb', ['--show', '--showformat=${Package} ${Version} ${Architecture}', file])
    ).split(' ')
    packages.push({ name, version, arch: built, licence: licenceOf(name) })
  }
  const found: SystemFile[] = []
  for (const [name, files] of [...Object.entries(libraries), ['libc6', [basename(loaders[arch])]] as const])
    for (const each of files) {
      const places = globSync(`{lib,usr/lib}/${triple}/${each}`, { cwd: tree })
      if (places[0] === undefined) throw new Error(`${name} of Debian has no ${each}.`)
      const path = each.startsWith('ld-') ? loaders[arch] : `lib/${triple}/${each}`
      found.push({ path, file: join(tree, places[0]) })
    }
  const trusted = globSync('usr/share/ca-certificates/mozilla/*.crt', { cwd: tree }).toSorted()
  if (trusted.length < 100)
    throw new Error(`${authorities} of Debian has only ${trusted.length} certificates.`)
  const texts = await Promise.all(trusted.map((name) => readFile(join(tree, name), 'utf8')))
  const certificates = texts.map((text) => `${text.trimEnd()}\n`).join('')
  return { libraries: found, certificates, packages }
}

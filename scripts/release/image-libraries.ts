import { globSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { openApt } from './debian-apt.ts'
import { type Arch, debianNames } from './one-file/node-binary.ts'
import { downloaded, downloadPinned, readPins } from './pinned-packages.ts'
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
const authorities = 'ca-certificates'
/** Says which Debian the others are of. */
const release = 'base-files'
/** Libraries of another Debian would give other bytes, and a newer glibc than the package and the documents name. */
const debianVersion = '12'

/**
 * Downloads the libraries of an executable, and certificates, from Debian, for any processor: the packages that are pinned (pinned-packages.json), to the
 * byte. Throws where Debian has others now.
 */
export async function systemFiles(arch: Arch, folder: string): Promise<SystemFiles> {
  const { arch: debianArch, triple } = debianNames[arch]
  const tree = join(folder, 'tree')
  await mkdir(tree, { recursive: true })
  const download = await openApt(debianArch, folder)
  await download(release)
  await refuseOtherRelease(folder)
  const pins = await readPins(debianArch)
  await downloadPinned(pins, { download, folder })
  const licences = licencesOfGcc(
    await run('dpkg-deb', ['--field', downloaded(folder, 'libgcc-s1'), 'Depends']),
  )
  const missing = [...Object.keys(libraries), authorities, licences].filter(
    (name) => pins[name] === undefined,
  )
  if (missing.length > 0)
    throw new Error(`pinned-packages.json has no ${missing.join(', ')} for ${debianArch}.`)
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

/** Takes the package that names the release out of the folder, and refuses any other than the one that releases are built with. */
async function refuseOtherRelease(folder: string): Promise<void> {
  const file = downloaded(folder, release)
  const tree = join(folder, 'release')
  await run('dpkg-deb', ['-x', file, tree])
  await rm(file)
  refuseOtherDebian(await readFile(join(tree, 'usr/lib/os-release'), 'utf8'))
}

/** Throws unless os-release(5) names the Debian whose libraries images contain. */
export function refuseOtherDebian(osRelease: string): void {
  const [, id = 'no system'] = /^ID="?([\w.-]+)"?$/m.exec(osRelease) ?? []
  const [, version = 'without a version'] = /^VERSION_ID="?([\w.-]+)"?$/m.exec(osRelease) ?? []
  if (id !== 'debian' || version !== debianVersion)
    throw new Error(
      `The sources of apt are of ${id} ${version}. Images contain libraries of Debian ${debianVersion}: build them there, or with --only leave them out.`,
    )
}

/** Returns the package that has the licences of the libraries of GCC, which they depend on: gcc-12-base. */
export function licencesOfGcc(depends: string): string {
  const name = /\bgcc-\d+-base\b/.exec(depends)?.[0]
  if (name === undefined) throw new Error(`libgcc-s1 depends on no package of GCC, but on ${depends.trim()}.`)
  return name
}

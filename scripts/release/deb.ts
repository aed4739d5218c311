import { createHash } from 'node:crypto'
import { chmod, copyFile, glob, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { readMigrations } from '../../src/storage/seam/migrate.ts'
import { type Arch, debianNames, nodeBinary } from './one-file/node-binary.ts'
import { debianVersion, type Release, root, run } from './release.ts'

const sources = join(root, 'deploy/debian')

/** What the unit of a checkout (deploy/onesixty.service) has, and what that of the package has in its place. */
const unitChanges: readonly [RegExp, string][] = [
  [/^# Copy to \/etc\/systemd.*\n/m, ''],
  [/^WorkingDirectory=.*$/m, 'WorkingDirectory=/var/lib/onesixty'],
  [/^(Environment=.*)$/m, '$1 "ONESIXTY_COMMAND=sudo onesixty"\nUnsetEnvironment=NODE_OPTIONS'],
  [/^# The Node\.js that npm ci brought.*\nExecStart=.*$/m, 'ExecStart=/usr/lib/onesixty/onesixty serve'],
]

/** Returns the unit of the package. Throws if the unit of the checkout has other lines than those that are replaced. */
export function packagedUnit(unit: string): string {
  return unitChanges.reduce((text, [pattern, replacement]) => {
    if (!pattern.test(text)) throw new Error(`deploy/onesixty.service has no line for ${pattern}.`)
    return text.replace(pattern, replacement)
  }, unit)
}

/** Writes the Debian package of a processor: the executable, its service and its user. Returns its path. */
export async function buildDebianPackage(
  { version, epochS, out, work }: Release,
  { arch, executable, notices }: { arch: Arch; executable: string; notices: string },
): Promise<string> {
  const { arch: debianArch } = debianNames[arch]
  const folder = join(work, 'deb', debianArch)
  await rm(folder, { recursive: true, force: true })
  const write = async (path: string, text: string | Buffer, mode = 0o644): Promise<void> => {
    await mkdir(join(folder, dirname(path)), { recursive: true })
    await writeFile(join(folder, path), text)
    await chmod(join(folder, path), mode)
  }
  const source = (name: string): Promise<string> => readFile(join(sources, name), 'utf8')
  await mkdir(join(folder, 'usr/lib/onesixty'), { recursive: true })
  await copyFile(executable, join(folder, 'usr/lib/onesixty/onesixty'))
  await write('usr/bin/onesixty', await source('onesixty.sh'), 0o755)
  await write('etc/onesixty/onesixty.env', await source('onesixty.env'), 0o600)
  await write('usr/lib/sysusers.d/onesixty.conf', await source('sysusers.conf'))
  const unit = packagedUnit(await readFile(join(root, 'deploy/onesixty.service'), 'utf8'))
  await write('lib/systemd/system/onesixty.service', unit)
  await writeDocs(write, { version, epochS, notices, licenceOfNode: (await nodeBinary(arch)).licence })
  await write('usr/share/lintian/overrides/onesixty', await source('lintian-overrides'))
  const migrations = await listMigrations()
  const filled = (text: string): string =>
    text
      .replaceAll('@VERSION@', debianVersion(version))
      .replace('@ARCH@', debianArch)
      .replace('@MIGRATIONS@\n', () => migrations)
  const size = Math.ceil((await stat(executable)).size / 1024)
  const sums = await md5sums(folder)
  for (const name of ['preinst', 'postinst', 'prerm', 'postrm'])
    await write(`DEBIAN/${name}`, filled(await source(name)), 0o755)
  await write('DEBIAN/control', filled(await source('control')).replace('@SIZE@', String(size)))
  await write('DEBIAN/conffiles', '/etc/onesixty/onesixty.env\n')
  await write('DEBIAN/md5sums', sums)
  const file = join(out, `onesixty_${debianVersion(version)}-1_${debianArch}.deb`)
  // dpkg-deb sorts the members, and takes the time of all from the environment. xz, because lintian of Debian 12 knows no zstd; the number of threads
  // changes the bytes.
  await run('dpkg-deb', ['--root-owner-group', '-Zxz', '-z2', '--build', folder, file], {
    env: { SOURCE_DATE_EPOCH: String(epochS), DPKG_DEB_THREADS_MAX: '1' },
  })
  return file
}

/** Lists the migrations of this version for preinst, in the lines that `onesixty migrate --check --known` reads. */
export async function listMigrations(): Promise<string> {
  const kinds = ['sqlite', 'postgres'] as const
  const lists = await Promise.all(
    kinds.map(async (kind) =>
      (await readMigrations(kind)).map(({ name, checksum }) => `${kind} ${name} ${checksum}\n`),
    ),
  )
  return lists.flat().join('')
}

type Write = (path: string, text: string | Buffer) => Promise<void>

/** Writes what Debian expects in /usr/share/doc: copyright, changes, and the settings that the file of settings refers to. */
async function writeDocs(
  write: Write,
  { version, epochS, notices, licenceOfNode }: { version: string; epochS: number; notices: string; licenceOfNode: string }, // prettier-ignore
): Promise<void> {
  const doc = 'usr/share/doc/onesixty'
  const date = new Date(epochS * 1000).toUTCString().replace('GMT', '+0000')
  const change = `onesixty (${debianVersion(version)}-1) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- onesixty <onesixty@localhost>  ${date}\n`
  await write(`${doc}/changelog.Debian.gz`, await promisify(gzip)(change, { level: 9 }))
  for (const file of ['CHANGELOG.md', 'docs/configuration.md'])
    await write(`${doc}/${basename(file)}`, await readFile(join(root, file)))
  // An example, because it takes modems from NetworkManager: who wants it copies it to /etc/udev/rules.d.
  const rules = '78-onesixty-modem.rules'
  await write(`${doc}/examples/${rules}`, await readFile(join(root, 'deploy', rules)))
  const licence = `onesixty is licensed under the Apache License, Version 2.0: /usr/share/common-licenses/Apache-2.0\nPackages in it: THIRD-PARTY-NOTICES. Node.js in it: LICENSE.node.\n`
  await write(`${doc}/copyright`, `Copyright: 2026 the authors of onesixty\n\n${licence}`)
  await write(`${doc}/THIRD-PARTY-NOTICES`, notices)
  await write(`${doc}/LICENSE.node`, licenceOfNode)
}

/** Returns the sums by which `dpkg --verify` finds files that were changed. */
async function md5sums(folder: string): Promise<string> {
  const lines: string[] = []
  for await (const entry of glob('**/*', { cwd: folder, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const path = file.slice(folder.length + 1)
    if (path === 'etc/onesixty/onesixty.env') continue
    lines.push(
      `${createHash('md5')
        .update(await readFile(file))
        .digest('hex')}  ${path}\n`,
    )
  }
  return lines.toSorted((a, b) => (a.slice(34) < b.slice(34) ? -1 : 1)).join('')
}

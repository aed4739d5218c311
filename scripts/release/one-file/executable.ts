import { chmod, copyFile, glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'postject'
import { buildProgram } from '../../build-program.ts'
import { packArchive } from '../archive.ts'
import { type Release, root, run } from '../release.ts'
import { type Arch, debianNames, nodeBinary } from './node-binary.ts'

const here = join(root, 'scripts/release/one-file')

/** Flags of `npm start`. Without the last one, Node.js warns of the loader that boot.cjs uses. */
const execArgv = ['--max-semi-space-size=16', '--v8-pool-size=0', '--disable-warning=ExperimentalWarning']

/** Where Node.js looks for the blob (https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html). */
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/**
 * Writes what the executables of all processors have in common: the program as one blob. Neither code cache nor snapshot, which belong to the machine that
 * made them.
 */
async function buildBlob({
  work,
  version,
  commit,
}: Pick<Release, 'work' | 'version' | 'commit'>): Promise<string> {
  const program = join(work, 'one-file-program')
  await buildProgram(program, { programFiles: join(here, 'program-files.ts'), version, commit })
  await passExecutable(program)
  // Node.js writes the path of the main file into the blob: a relative one is the same in every folder.
  await copyFile(join(here, 'boot.cjs'), join(work, 'boot.cjs'))
  const assets: Record<string, string> = { 'boot.cjs': 'boot.cjs' }
  for await (const entry of glob('**/*', { cwd: program, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile()) assets[file.slice(program.length + 1)] = file.slice(work.length + 1)
  }
  const [config, blob] = ['blob.json', 'program.blob']
  const sorted = Object.fromEntries(Object.entries(assets).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const settings = { main: 'boot.cjs', output: blob, disableExperimentalSEAWarning: true, useCodeCache: false, useSnapshot: false, execArgv, assets: sorted } // prettier-ignore
  await writeFile(join(work, config), JSON.stringify(settings))
  await run(process.execPath, ['--experimental-sea-config', config], { cwd: work })
  return join(work, blob)
}

/** `createRequire` accepts only the path of a file. The bundle requires nothing but modules of Node.js, which any path finds. */
async function passExecutable(program: string): Promise<void> {
  let changed = 0
  for await (const name of glob('rolldown-runtime-*.js', { cwd: program })) {
    const file = join(program, name)
    const text = await readFile(file, 'utf8')
    const passed = text.replace('createRequire(import.meta.url)', 'createRequire(process.execPath)')
    if (passed !== text) changed += 1
    await writeFile(file, passed)
  }
  if (changed !== 1) throw new Error('rolldown has another runtime: update passExecutable in executable.ts.')
}

/** Puts the blob into the Node.js of a processor. Symbols go before: afterwards, strip would damage the blob. */
async function buildExecutable(
  { version, work }: Pick<Release, 'version' | 'work'>,
  { blob, arch }: { blob: string; arch: Arch },
): Promise<string> {
  const { triple, binutils } = debianNames[arch]
  const file = join(work, 'one-file', `onesixty-${version}-linux-${arch}`)
  await mkdir(join(work, 'one-file'), { recursive: true })
  await copyFile((await nodeBinary(arch)).file, file)
  await run(`${triple}-strip`, [file]).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error
    throw new Error(`${triple}-strip is not installed. Run apt-get install ${binutils}.`)
  })
  await inject(file, 'NODE_SEA_BLOB', await readFile(blob), { sentinelFuse })
  await chmod(file, 0o755)
  return file
}

/** Returns the function that builds the executable of a processor, each once: several artefacts contain it. */
export function executablesOf(release: Release): (arch: Arch) => Promise<string> {
  let blob: Promise<string> | undefined
  const built = new Map<Arch, Promise<string>>()
  return (arch) => {
    blob ??= buildBlob(release)
    const known = built.get(arch) ?? blob.then((file) => buildExecutable(release, { blob: file, arch }))
    built.set(arch, known)
    return known
  }
}

/** Writes the executable of a processor, and an archive of it with its licences. */
export async function publishExecutable(
  release: Release,
  { arch, executable, notices }: { arch: Arch; executable: string; notices: string },
): Promise<string[]> {
  const name = `onesixty-${release.version}-linux-${arch}`
  const file = join(release.out, name)
  await copyFile(executable, file)
  const folder = join(release.work, 'archives')
  await mkdir(join(folder, name), { recursive: true })
  await copyFile(executable, join(folder, name, 'onesixty'))
  for (const each of ['LICENSE', 'CHANGELOG.md']) await copyFile(join(root, each), join(folder, name, each))
  await writeFile(join(folder, name, 'THIRD-PARTY-NOTICES'), notices)
  await writeFile(join(folder, name, 'LICENSE.node'), (await nodeBinary(arch)).licence)
  const archive = `${file}.tar.zst`
  await packArchive(archive, { folder, members: [name], epochS: release.epochS })
  return [file, archive]
}

import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from './bundle.ts'
import { buildChart } from './chart.ts'
import { checkRelease } from './check/check-release.ts'
import { refuseUnknown } from './check/checks.ts'
import { cut } from './cut.ts'
import { buildDebianPackage } from './deb.ts'
import { writeNotices } from './notices.ts'
import { buildNpmPackage } from './npm.ts'
import { buildImage } from './image.ts'
import { writeProvenance } from './provenance.ts'
import { executablesOf, publishExecutable } from './one-file/executable.ts'
import type { Arch } from './one-file/node-binary.ts'
import { describeRelease, isDirty, type Release, root, uncommitted } from './release.ts'
import { debianComponent, nodeComponent, type OtherComponent, writeSbom } from './sbom.ts'
import { fingerprintOf, readSigningKey, signSums } from './sign.ts'
import { writeSums } from './sums.ts'

interface Built {
  notices: string
  executable: (arch: Arch) => Promise<string>
  /** Takes what an artefact contains besides packages of npm, for the bill of materials. */
  contains: (component: OtherComponent) => void
}

/** Builds one kind of artefact and returns its files. */
type Part = (release: Release, built: Built) => Promise<string[]>

const archs: readonly Arch[] = ['x64', 'arm64']

/** Builds an artefact for each processor, one after the other: they take the memory of three executables. */
const forEachArch =
  (
    build: (release: Release, of: { arch: Arch; executable: string; notices: string }) => Promise<string[]>,
  ): Part =>
  async (release, { notices, executable, contains }) => {
    const files: string[] = []
    contains(nodeComponent())
    for (const arch of archs)
      files.push(...(await build(release, { arch, executable: await executable(arch), notices })))
    return files
  }

const parts: Readonly<Record<string, Part>> = {
  npm: async (release, { notices }) => [await buildNpmPackage(release, notices)],
  sea: forEachArch(publishExecutable),
  deb: forEachArch(async (release, of) => [await buildDebianPackage(release, of)]),
  async image(release, built) {
    built.contains(nodeComponent())
    const { files, packages } = await buildImage(release, { ...built, archs })
    for (const each of packages) built.contains(debianComponent(each))
    return files
  },
  chart: async (release) => [await buildChart(release)],
}

/**
 * `npm run release`: turns the commit that is checked out into artefacts in `release/`. `--only npm,sea` builds some of them. Refuses a folder with
 * changes that are not committed, because an artefact names its commit; `--dirty` allows them, for trying out, and artefacts have `-dirty` in their version.
 * `--check` proves the artefacts (check/check-release.ts), `--without NAME` leaves a proof out, `--with NAME` runs an optional one.
 */
async function main(): Promise<void> {
  // What is copied keeps its mode, and dpkg-deb refuses folders that only their owner can read.
  process.umask(0o022)
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      dirty: { type: 'boolean' },
      cut: { type: 'boolean' },
      check: { type: 'boolean' },
      without: { type: 'string', multiple: true, default: [] },
      with: { type: 'string', multiple: true, default: [] },
    },
  })
  if (values.cut === true) return cut()
  const names = values.only?.split(',') ?? Object.keys(parts)
  const choice = { parts: names, without: values.without, with: values.with }
  refuseUnknown(choice)
  if (values.check !== true && values.without.length + values.with.length > 0)
    throw new Error('--without and --with are for --check.')
  const changes = await uncommitted()
  if (changes !== '' && values.dirty !== true)
    throw new Error(`Commit these changes first, or build with --dirty to try them:\n${changes}`)
  const release = await describeRelease(join(root, 'release'), { changed: changes !== '' })
  const key = await readSigningKey(process.env)
  if (key !== null && isDirty(release.version))
    throw new Error('What is built with --dirty is not signed: unset RELEASE_KEY_FILE.')
  await rm(release.out, { recursive: true, force: true })
  await mkdir(release.work, { recursive: true })
  const packages = await bundle(release)
  const others = new Map<string, OtherComponent>()
  const built: Built = {
    notices: writeNotices(packages),
    executable: executablesOf(release),
    contains: (component) => void others.set(component.purl, component),
  }
  const sbom = join(release.out, `onesixty-${release.version}.cdx.json`)
  const files = [sbom]
  for (const name of names) files.push(...((await parts[name]?.(release, built)) ?? []))
  await writeFile(sbom, writeSbom(release, packages, [...others.values()]))
  files.push(await writeProvenance(release, { files, parts: names }))
  const sums = await writeSums(files)
  if (key !== null) {
    await signSums(sums, key)
    console.log(`SHA256SUMS is signed by the key ${fingerprintOf(key)}.`)
  }
  for (const file of files)
    console.log(`${((await stat(file)).size / 1e6).toFixed(1).padStart(7)} MB  ${basename(file)}`)
  if (values.check === true && !(await checkRelease(release, choice))) process.exitCode = 1
}

await main()

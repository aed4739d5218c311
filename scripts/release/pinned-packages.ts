import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Download, openApt } from './debian-apt.ts'
import { debianNames } from './one-file/node-binary.ts'
import { run } from './release.ts'
import { sha256 } from './sums.ts'

/** A package of Debian, to the byte. */
export interface Pin {
  version: string
  sha256: string
}

/** Pinned packages by their name, of one processor. */
export type Pins = Readonly<Record<string, Pin>>

/** Committed, so that a commit names all that its images contain (decision 61). */
const file = join(import.meta.dirname, 'pinned-packages.json')

/** Reads the packages that images of a processor are built from, in the words of Debian: `amd64`. */
export async function readPins(debianArch: string): Promise<Pins> {
  const all = JSON.parse(await readFile(file, 'utf8')) as Record<string, Pins>
  const pins = all[debianArch]
  if (pins === undefined) throw new Error(`${file} has no packages for ${debianArch}.`)
  return pins
}

const remedy = 'Pin what it has now, and commit that: node scripts/release/pinned-packages.ts. To build the commit as it is, have apt read a snapshot of Debian of its day.' // prettier-ignore

/** Downloads each pinned package into `folder`. Throws where Debian has replaced one by another version, and for one whose sum is another. */
export async function downloadPinned(
  pins: Pins,
  { download, folder }: { download: Download; folder: string },
): Promise<void> {
  for (const [name, { version, sha256: wanted }] of Object.entries(pins)) {
    await download(`${name}=${version}`).catch((error: unknown) => {
      if (!/was not found|Can't find a source to download/.test(String(error))) throw error
      throw new Error(`Debian has no ${name} ${version} any more, from which images of this commit are built. ${remedy}`) // prettier-ignore
    })
    const found = await sha256(downloaded(folder, name))
    if (found !== wanted)
      throw new Error(`${name} ${version} of Debian has the sum ${found}, not ${wanted}. ${remedy}`)
  }
}

/** Returns the path of a package that was downloaded. */
export function downloaded(folder: string, name: string): string {
  const [found, another] = globSync(`${name}_*.deb`, { cwd: folder })
  if (found === undefined || another !== undefined) throw new Error(`apt downloaded not one package ${name}.`)
  return join(folder, found)
}

/** Pins the packages of the same names that Debian has now, for each processor. */
async function pinNow(): Promise<void> {
  const pinned: Record<string, Pins> = {}
  for (const { arch } of Object.values(debianNames)) {
    const folder = await mkdtemp(join(tmpdir(), 'onesixty-pins-'))
    try {
      const download = await openApt(arch, folder)
      const names = Object.keys(await readPins(arch))
      await download(...names)
      const pins = names.map(async (name) => {
        const deb = downloaded(folder, name)
        const version = (await run('dpkg-deb', ['--field', deb, 'Version'])).trim()
        return [name, { version, sha256: await sha256(deb) }] as const
      })
      pinned[arch] = Object.fromEntries(await Promise.all(pins))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  await writeFile(file, `${JSON.stringify(pinned, null, 2)}\n`)
}

// node scripts/release/pinned-packages.ts
if (import.meta.main) await pinNow()

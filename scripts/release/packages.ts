import { readdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './release.ts'

/** A package that is part of the program. */
export interface BundledPackage {
  name: string
  version: string
  /** SPDX expression. */
  licence: string
  /** Hash of the published package, from the lockfile. */
  integrity: string
  /** Its licence and notices, as published; for a package without any, the text that its licence demands. */
  texts: readonly string[]
}

/** Licences that allow a release as it is: their conditions are met by THIRD-PARTY-NOTICES. */
const allowed = ['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'CC0-1.0']

/** Its script is a string in its package, which no bundler reports. */
const extracted = 'node_modules/@scalar/fastify-api-reference'

/** Modules that the bundlers add by themselves. */
const helpers: readonly { id: RegExp; place: string }[] = [
  { id: /^\0rolldown\//, place: 'node_modules/rolldown' },
  { id: /^\0vite\//, place: 'node_modules/vite' },
]
/** Its code comes with rolldown, and it is not installed. */
const oxcHelper = /^\0@oxc-project\+runtime@([\d.]+)\//

interface Lockfile {
  packages: Readonly<Record<string, { integrity?: string; bundled?: unknown }>>
}

/**
 * Returns the packages that modules belong to, sorted by name and version. `modules` are the names that bundlers report. Throws for a module of
 * unknown origin, and for a package whose licence is unknown or not allowed.
 */
export async function packagesOf(modules: readonly string[], from = root): Promise<BundledPackage[]> {
  const lock = JSON.parse(await readFile(join(from, 'package-lock.json'), 'utf8')) as Lockfile
  // Bundlers report where a file is, also where the folder of packages is a link.
  const installed = await realpath(join(from, 'node_modules'))
  const places = new Set(modules.flatMap((id) => placeOf(id, { from, installed }) ?? []))
  places.add(extracted)
  const packages = await Promise.all([...places].map((place) => readPackage(place, lock, from)))
  return packages.toSorted((a, b) => compare(a.name, b.name) || compare(a.version, b.version))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the place of the package of a module, relative to the repository; null for a module of our own. */
function placeOf(id: string, { from, installed }: { from: string; installed: string }): string | null {
  const [path = ''] = id.split('?')
  const inPackage = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]
  if (inPackage !== undefined)
    return inPackage.startsWith(`${installed}/`)
      ? `node_modules${inPackage.slice(installed.length)}`
      : inPackage.slice(from.length + 1)
  if (path.startsWith(`${from}/`)) return null
  if (oxcHelper.test(path)) return 'node_modules/rolldown'
  const helper = helpers.find((each) => each.id.test(path))
  if (helper === undefined)
    throw new Error(
      `The bundle has ${JSON.stringify(id)}, of which no package is known: name it in packages.ts.`,
    )
  return helper.place
}

async function readPackage(place: string, lock: Lockfile, from: string): Promise<BundledPackage> {
  const folder = join(from, place)
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
  const { name, version, license } = manifest
  if (!isAllowed(license))
    throw new Error(
      `${name} ${version} has the licence ${JSON.stringify(license)}. Allowed are ${allowed.join(', ')}: remove the package, or add its licence to packages.ts.`,
    )
  const files = (await readdir(folder)).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
  const texts = await Promise.all(
    files.toSorted().map(async (file) => (await readFile(join(folder, file), 'utf8')).trim()),
  )
  const integrity = lock.packages[place]?.integrity
  if (integrity === undefined) throw new Error(`package-lock.json has no integrity of ${place}.`)
  return {
    name,
    version,
    licence: license,
    integrity,
    texts: texts.length > 0 ? texts : [textOf(manifest)],
  }
}

interface Manifest {
  name: string
  version: string
  license: string
  author?: string | { name?: string }
}

/** Checks an SPDX expression: one of several licences, or all of them. */
function isAllowed(expression: unknown): expression is string {
  if (typeof expression !== 'string') return false
  const plain = expression.replace(/^\((.*)\)$/, '$1')
  if (/[()]/.test(plain)) return false
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((id) => allowed.includes(id)))
}

/** MIT demands its text with the copyright; some packages are published with the name of the licence alone. */
function textOf({ name, license, author }: Manifest): string {
  if (license !== 'MIT') throw new Error(`${name} is published without the text of its licence, ${license}.`)
  const holder = (typeof author === 'string' ? author : author?.name) ?? `the authors of ${name}`
  return mit.replace('HOLDER', () => holder)
}

const mit = `MIT License

Copyright (c) HOLDER

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

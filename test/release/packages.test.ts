import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { packagesOf } from '../../scripts/release/packages.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onesixty-packages-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await lay('@scalar/fastify-api-reference', { license: 'MIT' }, { LICENSE: 'MIT, Scalar' })
})

const locked: Record<string, { integrity: string }> = {}

/** Installs a package into the folder. */
async function lay(name: string, manifest: object, files: Record<string, string> = {}): Promise<string> {
  const place = join(folder, 'node_modules', name)
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...manifest }))
  for (const [file, text] of Object.entries(files)) await writeFile(join(place, file), text)
  locked[`node_modules/${name}`] = { integrity: 'sha512-AAAA' }
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages: locked }))
  return join(place, 'index.js')
}

test.for([
  'GPL-3.0-only',
  'AGPL-3.0',
  'UNLICENSED',
  'SEE LICENSE IN x',
  '(MIT AND GPL-2.0)',
  '((MIT))',
  undefined,
])('a package whose licence is %s is in no release', async (license) => {
  const module = await lay('planted', { license }, { LICENSE: 'text' })
  await expect(packagesOf([module], folder)).rejects.toThrow('planted 1.0.0 has the licence')
})

test.for(['MIT', '(MIT OR GPL-3.0)', '(MIT AND Zlib) OR ISC', 'MIT AND ISC'])(
  'a package whose licence is %s is part of a release, with its texts',
  async (license) => {
    const module = await lay('fine', { license }, { LICENSE: ' its text ', NOTICE: 'its notice', 'x.js': '' })
    if (license.startsWith('(MIT AND')) return expect(packagesOf([module], folder)).rejects.toThrow('licence')
    const [, fine] = await packagesOf([module, `${module}?commonjs`, `\0${module}`], folder)
    expect(fine).toMatchObject({ name: 'fine', licence: license, texts: ['its text', 'its notice'] })
  },
)

test('a package without the text of its licence gets it with the name of its author, where the text is known', async () => {
  const [fine] = await packagesOf(
    [await lay('bare', { license: 'MIT', author: { name: 'Ada $& L' } })],
    folder,
  ).then((all) => all.filter(({ name }) => name === 'bare'))
  expect(fine?.texts[0]).toMatch(/^MIT License\n\nCopyright \(c\) Ada \$& L\n/)
  const other = await lay('bare-too', { license: 'ISC', author: 'Ada' })
  await expect(packagesOf([other], folder)).rejects.toThrow('bare-too is published without')
})

test('code of unknown origin is in no release', async () => {
  await expect(packagesOf(['\0planted/helper.js'], folder)).rejects.toThrow('of which no package is known')
  await expect(packagesOf([join(folder, 'src/main.ts')], folder)).resolves.toHaveLength(1)
})

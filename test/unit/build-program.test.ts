import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { buildProgram } from '../../scripts/build-program.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onesixty-build-'))
  onTestFinished(() => rm(folder, { recursive: true }))
})

test.for([['notes.txt'], ['main.js', 'package.json'], ['.git']])(
  'a folder that holds something else than a build of the program is not emptied: %s',
  async (names) => {
    for (const name of names) await writeFile(join(folder, name), 'mine')
    await expect(buildProgram(folder)).rejects.toThrow('Remove it yourself')
    expect((await readdir(folder)).toSorted()).toEqual(names.toSorted())
    for (const name of names) expect(await readFile(join(folder, name), 'utf8')).toBe('mine')
  },
)

test('nor is a file', async () => {
  const file = join(folder, 'mine')
  await writeFile(file, 'mine')
  await expect(buildProgram(file)).rejects.toThrow('ENOTDIR')
  expect(await readFile(file, 'utf8')).toBe('mine')
})

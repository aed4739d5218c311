import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { plant, plantedBugs, readPlantedBug } from '../../scripts/prove-red.ts'
import { proofs } from '../../scripts/proofs.ts'
import { filesOf } from '../projects.ts'

const root = join(import.meta.dirname, '..', '..')
const bugs = await plantedBugs()

test.for(bugs)(
  'the bug %s still fits the program, and the test that must catch it still exists',
  async (name) => {
    const bug = await readPlantedBug(name)
    expect(bug.changes).not.toEqual([])
    for (const change of bug.changes) {
      const text = await readFile(join(root, change.file), 'utf8')
      expect(plant(text, change)).not.toBe(text)
    }
    // A program says its reasons in a module beside it, named after it, and one after the other.
    const spoken = globSync(bug.file.endsWith('.test.ts') ? bug.file : bug.file.replace('.ts', '*.ts'), {
      cwd: root,
    })
    const said = spoken.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
    for (const words of bug.test.split('; ')) expect(said).toContain(words)
    for (const words of bug.because.filter((reason) => !wordsOfVitest.test(reason)))
      expect(everyReason(), 'a reason that a test or one of its helpers gives').toContain(words)
  },
)

const wordsOfVitest = /^to be /

let reasons = ''
/** The text of every test and helper. */
const everyReason = (): string =>
  (reasons ||= globSync('test/**/*.ts', { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n'))

test('a patch whose lines are gone is told', () => {
  const change = { file: 'x.ts', hunks: [{ before: 'gone\n', after: 'new\n' }] }
  expect(() => plant('here\n', change)).toThrow('no longer fits x.ts')
  expect(() => plant('gone\ngone\n', change)).toThrow('2 times')
})

test('each proof has a bug that it must catch, and each bug one proof, whose files have the test for it', async () => {
  expect(proofs.filter(({ catches }) => catches.length === 0).map(({ name }) => name)).toEqual([])
  expect(proofs.flatMap(({ catches }) => catches).toSorted()).toEqual(bugs)
  for (const { catches, files, script } of proofs)
    for (const name of catches) expect([...files, script]).toContain((await readPlantedBug(name)).file)
})

test('the proof of the phones runs every check of the protocol of their app', async () => {
  const { files = [] } = proofs.find(({ name }) => name === 'phones') ?? {}
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
  const titles = texts.join('\n').matchAll(/^ *test\(['`]check [\d, and]+:/gm)
  const checks = [...titles].flatMap(([title]) => (title.match(/\d+/g) ?? []).map(Number))
  expect([...new Set(checks)].toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 28 }, (_, i) => i + 1),
  )
})

test.for(proofs.map((proof) => [proof.name, proof] as const))(
  'the files of the proof %s exist',
  async ([, { files }]) => {
    for (const file of files) expect(await readFile(join(root, file), 'utf8')).toMatch(/\btest[.(]/)
  },
)

test.for(proofs.map((proof) => [proof.name, proof] as const))(
  'the files of the proof %s run in its projects',
  ([, { projects, files }]) => {
    const included = projects.flatMap((project) => filesOf[project as keyof typeof filesOf])
    for (const file of files) expect(included).toContain(file)
  },
)

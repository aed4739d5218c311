import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { plant, plantedBugs, readPlantedBug } from '../../scripts/prove-red.ts'

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
    expect(await readFile(join(root, bug.file), 'utf8')).toContain(bug.test)
  },
)

test('a patch whose lines are gone is told', () => {
  const change = { file: 'x.ts', hunks: [{ before: 'gone\n', after: 'new\n' }] }
  expect(() => plant('here\n', change)).toThrow('no longer fits x.ts')
  expect(() => plant('gone\ngone\n', change)).toThrow('2 times')
})

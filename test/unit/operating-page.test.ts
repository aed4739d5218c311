import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readExpressions } from '../monitoring-expressions.ts'

const repository = join(import.meta.dirname, '../..')
const page = readFileSync(join(repository, 'docs/operating.md'), 'utf8')
const sectionOf = (heading: string): string => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
const firstCells = (section: string): string[] =>
  [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = '']) => cell)

test('the page says of every alert what to do, and of none that does not exist', () => {
  const alerts = readExpressions().flatMap(({ rule }) => (rule === null ? [] : [rule.alert]))
  expect(new Set(firstCells(sectionOf('Monitoring')))).toEqual(new Set(alerts))
})

test('every line of the log that the page names is one that the program writes', () => {
  const source = globSync('src/**/*.ts', { cwd: repository }).map((file) =>
    readFileSync(join(repository, file), 'utf8'),
  )
  const lines = firstCells(sectionOf('Lines of the log worth an alert'))
  expect(lines.length).toBeGreaterThan(12)
  const isWritten = (line: string): boolean =>
    source.some((text) => ["'", '`'].some((quote) => text.includes(quote + line)))
  expect(lines.filter((line) => !isWritten(line))).toEqual([])
})

test('the panels that the page names are on the dashboard', () => {
  const named = [...sectionOf('Monitoring').matchAll(/panels? "([^"]+)"(?: and "([^"]+)")?/g)].flatMap(
    ([, ...titles]) => titles.filter((title) => title !== undefined),
  )
  expect(named.length).toBeGreaterThan(1)
  const panels = new Set(readExpressions().map(({ from }) => from))
  expect(named.filter((title) => !panels.has(title) && !panels.has(`${title}, p99`))).toEqual([])
})

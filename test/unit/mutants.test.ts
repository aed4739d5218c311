import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blockAround, findBlocks, instrument } from '../../scripts/mutants/blocks.ts'
import { findChanges } from '../../scripts/mutants/changes.ts'
import { filesOf } from '../../scripts/mutants/coverage.ts'
import { equivalents } from '../../scripts/mutants/equivalent.ts'
import { mutantsOf, sampleOf } from '../../scripts/mutants/mutants.ts'
import { mutantRooms, untried } from '../../scripts/mutants/rooms.ts'
import { parse } from '../../scripts/mutants/syntax.ts'

const changed = (text: string): string[] =>
  findChanges(text, parse(text)).map(
    (change) => text.slice(0, change.start) + change.text + text.slice(change.end),
  )

test.each([
  ['a bound that is one off', 'const f = (a) => a < 0xdfff', ['const f = (a) => a <= 0xdfff', 'const f = (a) => a < 57342', 'const f = (a) => a < 57344']],
  ['a condition that always or never holds', 'if (a) b()', ['if (true) b()', 'if (false) b()']],
  ['a statement that is missing', 'a(); b.set(c, d)', ['; b.set(c, d)', 'a(); ;']],
  ['a default that is missing', 'const a = b ?? 7', ['const a = b']],
  ['a link that is missing', "q.where('a', '=', 7).all()", ["q.all()", "q.where('a', '<>', 7).all()"]],
  ['a rest that is missing', 'const a = [...b, c]', ['const a = [ c]']],
  ['a clause that is missing', "const a = 'select b from c where d = :d and e is null'", [
    "const a = 'select b from c where d = :d '",
    "const a = 'select b from c where 1 = 1 and e is null'",
    "const a = 'select b from c where d <> :d and e is null'",
    "const a = 'select b from c where d = :d and e is not null'",
  ]],
  ['an order and a limit that are missing', 'const a = `select b from ${c} order by b desc limit :most`', [
    'const a = `select b from ${c} limit :most`',
    'const a = `select b from ${c} order by b desc `',
    'const a = `select b from ${c} order by b limit :most`',
  ]],
])('%s is among the changes', (_, text, expected) => {
  expect(changed(text)).toEqual(expect.arrayContaining(expected))
}) // prettier-ignore

test.each([
  ['types', 'type A = 1 | 2'],
  ['exceptions that would be bugs', "if (a === undefined) throw new Error('it has no a')"],
  ['what a bug would say', 'function f(a) { throw new Error(`${a + 1}`) }'],
  ['logs and metrics', "deps.log.warn({ a: 1 }, 'b')"],
  ['imports', "import { a } from './b.ts'"],
])('%s are left as they are', (_, text) => {
  expect(changed(text)).toEqual([])
})

test('what runs is marked, block by block', () => {
  const text = 'const f = (a) => { if (a) { return 1 } return [2].map((b) => ({ b })) }; const g = () => 3'
  const blocks = findBlocks(parse(text))
  const made = instrument(text, 10, blocks).replaceAll('globalThis.onesixtyBlocks', 'marks')
  // oxlint-disable-next-line typescript/no-implied-eval -- a module of a line, made here
  const run = new Function('marks', `${made}; return f(false)`) as (marks: 1[]) => unknown
  const marks: 1[] = []
  expect(run(marks)).toEqual([{ b: 2 }])
  const at = (part: string): number | null =>
    blockAround(blocks, { start: text.indexOf(part), end: text.indexOf(part) + part.length })
  expect(Object.keys(marks).map(Number)).toEqual(
    [at('if (a)'), at('{ b }')].map((block) => 10 + (block ?? NaN)),
  )
  expect([at('return 1'), at('3'), at('const f')]).toEqual([1, 3, null])
})

test('each change of a room is one program, and the seed alone says which are tried', () => {
  const mutants = mutantsOf('src/messages/decide-sends.ts')
  expect(mutants.length).toBeGreaterThan(30)
  expect(new Set(mutants.map(({ text }) => text)).size).toBe(mutants.length)
  for (const { text } of mutants) expect(() => parse(text)).not.toThrow()
  expect(mutants.map(({ change }) => change)).toContain(
    'statement: waiting.set(wallet, queued + messages) → ;',
  )
  const sample = sampleOf(mutants, 5, '1')
  expect(sampleOf(mutants.toReversed(), 5, '1')).toEqual(sample)
  expect(sampleOf(mutants, 5, '2')).not.toEqual(sample)
})

test('every room has files, and what is not tried is there', () => {
  const lists = mutantRooms.flatMap(({ sources, tests }) => [...sources, ...tests]).concat(untried)
  for (const list of lists) expect(filesOf([list]), list).not.toEqual([])
})

test('each reason why nobody can notice is about a line that is still there', () => {
  const stale = equivalents.filter(({ file, code }) => {
    const lines = readFileSync(join(import.meta.dirname, '../..', file), 'utf8').split('\n')
    return !lines.some((line) => line.trim() === code)
  })
  expect(stale).toEqual([])
})

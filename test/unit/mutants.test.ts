import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { blockAround, findBlocks, instrument } from '../../scripts/mutants/blocks.ts'
import { findChanges } from '../../scripts/mutants/changes.ts'
import { filesOf, reachedOf } from '../../scripts/mutants/coverage.ts'
import { equivalents } from '../../scripts/mutants/equivalent.ts'
import { mutantsOf, sampleOf } from '../../scripts/mutants/mutants.ts'
import { openLane } from '../../scripts/mutants/lanes.ts'
import { type RoomReport, scoreOf, type Survivor, withoutNoticed } from '../../scripts/mutants/report.ts'
import { besideRooms, foldersOfRooms, mutantRooms, untried } from '../../scripts/mutants/rooms.ts'
import { parse } from '../../scripts/mutants/syntax.ts'
import { isRefused } from '../../scripts/mutants/types-notice.ts'

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
  const mutants = mutantsOf('src/messages/send/decide-sends.ts')
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

test('what runs as a module is loaded is reached by each test file that reaches anything in it', () => {
  const marked = [{ file: 'a.ts', first: 0, next: 4 }, { file: 'b.ts', first: 4, next: 9 }]
  expect(reachedOf([1, 2, 4], new Set([2, 4]), marked)).toEqual({ 'a.ts': [1, 2], 'b.ts': [0] })
  expect(reachedOf([3], new Set([2, 4]), marked)).toEqual({ 'a.ts': [3, 2] })
}) // prettier-ignore

test('no two changes of a room have one name, however alike their lines are', () => {
  const [room] = mutantRooms
  const names = filesOf(room!.sources).flatMap((file) => mutantsOf(file).map(({ code, change }) => `${file} ${code} ${change}`))
  expect(new Set(names).size).toBe(names.length)
}) // prettier-ignore

test('each reason why nobody can notice is about a line that is still there', () => {
  const stale = equivalents.filter(({ file, code }) => {
    const lines = readFileSync(join(import.meta.dirname, '../..', file), 'utf8').split('\n')
    return !lines.some((line) => line.trim() === code)
  })
  expect(stale).toEqual([])
})

test('no file is left out of the rooms but those that are said to be, and none of these is in a room or gone', () => {
  const tried = filesOf(mutantRooms.flatMap(({ sources }) => sources))
  const beside = besideRooms.flatMap(({ files }) => files.flatMap((each) => namesOf(each)))
  const all = filesOf(foldersOfRooms)
  expect(all.filter((file) => !tried.includes(file) && !beside.includes(file))).toEqual([])
  expect(beside.filter((file) => tried.includes(file) || !all.includes(file))).toEqual([])
})

/** `a/{b,c}.ts` is two names, whether they are there or not; one under any folder is the file that is there. */
const namesOf = (list: string): string[] => {
  const found = /^(.*)\{(.*)\}(.*)$/.exec(list)
  const names = found === null ? [list] : found[2]!.split(',').map((each) => `${found[1]}${each}${found[3]}`)
  return names.flatMap((name) => {
    const files = filesOf([name])
    return files.length === 0 ? [name] : files
  })
}

test('what survived in files that nobody looked at again still counts', () => {
  const survivor = (file: string): Survivor => ({ file, line: 1, code: 'a', change: 'b', ran: 1, reaching: 1 })
  const report = (more: Partial<RoomReport>): RoomReport => ({ room: 'texts', all: 90, tried: 20, killed: 16, hung: 0, seed: '1', commit: 'c', day: '2026-01-01', survivors: [], ...more })
  const before = report({ survivors: ['a.ts', 'a.ts', 'b.ts', 'c.ts'].map(survivor) })
  const now = report({ tried: 2, killed: 1, hung: 1, survivors: [survivor('a.ts')] })
  const after = withoutNoticed(before, now, (file) => file === 'a.ts')
  expect(after).toMatchObject({ tried: 20, killed: 17, hung: 1 })
  expect(after.survivors.map(({ file }) => file)).toEqual(['b.ts', 'c.ts', 'a.ts'])
  expect(scoreOf(after)).toEqual({ counted: 20, score: 85 })
  const rewritten = withoutNoticed(before, report({ tried: 1, killed: 0, survivors: [survivor('a.ts')] }), (file) => file === 'a.ts')
  expect(rewritten, 'one is no change any more').toMatchObject({ tried: 19, killed: 16 })
}) // prettier-ignore

test.each([
  ['nothing said', { code: 0, said: '' }, false],
  ['a place in the program', { code: 2, said: "src/runtime/ids.ts(3,7): error TS2322: Type 'string' is not assignable" }, true],
  ['the same as a first word', { code: 1, said: 'src/a.ts(1,1): error TS1005: x\nsrc/b.ts(1,1): error TS1005: x' }, true],
])('of tsc %s is a refusal or none', (_, ended, isNoticed) => {
  expect(isRefused(ended)).toBe(isNoticed)
}) // prettier-ignore

test.each([
  ['was ended', { code: null, said: '' }],
  ['ran out of memory', { code: 134, said: 'FATAL ERROR: heap out of memory' }],
  [
    'found no program',
    { code: 1, said: "error TS5058: The specified path does not exist: 'tsconfig.json'." },
  ],
])('that tsc %s is nothing that it noticed', (_, ended) => {
  expect(() => isRefused(ended)).toThrow('tsc could not look')
})

test('a lane whose process has ended is no fault, and the next task begins another', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'onesixty-lane-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [script, pidFile] = [join(folder, 'lane.mjs'), join(folder, 'pid')]
  // As it is told, it ends in the place of its answer, behind it, or not at all.
  writeFileSync(script, `import { writeFileSync } from 'node:fs'
    writeFileSync(${JSON.stringify(pidFile)}, String(process.pid))
    process.on('message', ({ tests: [end] }) => {
      if (end === 'unanswered') process.exit()
      process.send({ files: [], failed: null }, () => end === 'answered' && process.exit())
    })
    process.send('ready')`)
  const lane = openLane('', script)
  const run = (end: string) => lane.run({ texts: {}, tests: [end] }, 20_000)
  const isGone = () => vi.waitFor(() => expect(() => process.kill(Number(readFileSync(pidFile, 'utf8')), 0)).toThrow('ESRCH'))
  const answer = { files: [], failed: null }
  expect(await run('unanswered')).toBeNull()
  expect(await run('answered')).toEqual(answer)
  await isGone()
  expect(await run('answered')).toEqual(answer)
  await isGone()
  lane.end()
  expect(await run('not at all')).toEqual(answer)
  lane.end()
  await isGone()
}) // prettier-ignore

import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { filesOf, readCoverage, root } from './mutants/coverage.ts'
import { reasonOf } from './mutants/equivalent.ts'
import { openLane } from './mutants/lanes.ts'
import { type Mutant, mutantsOf, sampleOf } from './mutants/mutants.ts'
import { readReport, recordRoom, type RoomReport, scoreOf, withoutNoticed } from './mutants/report.ts'
import { type MutantRoom, mutantRooms, untried } from './mutants/rooms.ts'
import { type Tried, tryMutant } from './mutants/try-mutant.ts'

const usage = `npm run mutants [-- options]

  --only NAME,…     Only these rooms.
  --file TEXT       Only sources whose path contains this. Is recorded with --again only: the score is of a whole room.
  --sample N        So many changes of each room; 0 is all of them. Default: 60
  --seed TEXT       Which ones. Default: 1
  --seconds N       Of test files a change, by the times of their first run. Default: 45
  --again           Only what survived the last recorded run.
  --record          Keeps the result in docs/mutants.json, for docs/reliability.md.
  --json            JSON on standard output in the place of lines.
  --help            This.

Changes the program in one place, runs the test files that reach it, and says what none of them noticed. Rooms: ${mutantRooms.map(({ name }) => name).join(', ')}.
Ends with 1 when a room notices less than 95 % of what counts.
`

const barPercent = 95

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      file: { type: 'string', default: '' },
      sample: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '45' },
      again: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(usage)
  if (values.file !== '' && values.record && !values.again)
    throw new Error('What came of some files of a room is not its score: leave out --file or --record.')
  const isLookedAt = (file: string): boolean => file.includes(values.file)
  const commit = commitOfSources()
  const size = Number(values.sample)
  const reports: RoomReport[] = []
  for (const room of chooseRooms(values.only)) {
    const mutants = filesOf(room.sources).filter(isLookedAt).flatMap(mutantsOf)
    const known = values.again ? survivorsOf(room) : null
    const chosen =
      known === null
        ? sampleOf(mutants, size === 0 ? mutants.length : size, values.seed)
        : mutants.filter((mutant) => known.has(nameOf(mutant)))
    const tried = await tryRoom(room, chosen, { maxMs: Number(values.seconds) * 1_000 })
    const fresh = reportOf(room, { all: mutants.length, tried, seed: values.seed, commit })
    const report = values.again ? withoutNoticed(readReport()[room.name], fresh, isLookedAt) : fresh
    reports.push(report)
    const { counted, score } = scoreOf(report)
    process.stderr.write(`${room.name}: ${report.killed} of ${counted} noticed, ${score} %\n`)
    if (values.record) await recordRoom(report)
  }
  if (values.json) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`)
  process.exitCode = reports.every((report) => scoreOf(report).score >= barPercent) ? 0 : 1
}

/** Of the program, by the first digits of its commit; `-dirty` when it has changed since. */
function commitOfSources(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  return (
    git('rev-parse', '--short=7', 'HEAD') + (git('status', '--porcelain', '--', 'src') === '' ? '' : '-dirty')
  )
}

function chooseRooms(only: string | undefined): readonly MutantRoom[] {
  if (only === undefined) return mutantRooms
  const names = only.split(',')
  const unknown = names.filter((name) => mutantRooms.every((room) => room.name !== name))
  if (unknown.length > 0) throw new Error(`There is no room ${unknown.join(', ')}.`)
  return mutantRooms.filter(({ name }) => names.includes(name))
}

const nameOf = ({ file, code, change }: Pick<Mutant, 'file' | 'code' | 'change'>): string =>
  `${file} ${code} ${change}`

const survivorsOf = ({ name }: MutantRoom): ReadonlySet<string> =>
  new Set((readReport()[name]?.survivors ?? []).map(nameOf))

/** Of all rooms: what a test file reaches is learned once for all of them. */
const everySource = (): string[] => filesOf(mutantRooms.flatMap(({ sources }) => sources))

const testsOf = ({ tests }: MutantRoom): string[] => filesOf(tests).filter((file) => !untried.includes(file))

async function tryRoom(
  room: MutantRoom,
  chosen: readonly Mutant[],
  { maxMs }: { maxMs: number },
): Promise<readonly Tried[]> {
  const say = (line: string): void => void process.stderr.write(`${room.name}: ${line}\n`)
  const coverage = await readCoverage(everySource(), testsOf(room), say)
  const lane = openLane()
  const tried: Tried[] = []
  try {
    for (const mutant of chosen) {
      const result = await tryMutant(lane, coverage, mutant, maxMs)
      tried.push(result)
      const { by, noticed, ran, reaching } = result
      const word = by ?? (reasonOf(mutant) === null ? 'SURVIVED' : 'equivalent')
      say(
        `${tried.length}/${chosen.length} ${word} ${mutant.file}:${mutant.line} ${mutant.change} (${ran} of ${reaching} files) ${noticed}`,
      )
    }
  } finally {
    lane.end()
  }
  return tried
}

function reportOf(
  { name }: MutantRoom,
  { all, tried, seed, commit }: { all: number; tried: readonly Tried[]; seed: string; commit: string },
): RoomReport {
  const survivors = tried
    .filter(({ by }) => by === null)
    .map(({ mutant: { file, line, code, change }, ran, reaching }) => ({
      file,
      line,
      code,
      change,
      ran,
      reaching,
    }))
  return {
    room: name,
    all,
    tried: tried.length,
    killed: tried.length - survivors.length,
    hung: tried.filter(({ by }) => by === 'hung').length,
    seed,
    commit,
    day: new Date().toISOString().slice(0, 10),
    survivors,
  }
}

await main()

import type { BenchRun, MeasuredLoad } from './bench-run.ts'
import { type Figure, latencyOf, msOf } from './figure.ts'
import { type LargeDatabase, openLargeDatabase } from './large-database.ts'
import { readThrough } from './page-cache.ts'
import type { ProfileName } from './profile/profile-names.ts'
import { instant, type ReadPaths, readPaths } from './read-paths.ts'
import { countRowsRead, type RowsRead, rowsReadOf } from './rows-read.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const perSecond = 500
const connections = 4
const rounds = 3

interface Reading {
  name: string
  which: keyof ReadPaths
  profile?: ProfileName
}

const readings: readonly Reading[] = [
  { name: 'history, newest page', which: 'newest', profile: 'history' },
  { name: 'history, a page anywhere in it', which: 'anywhere' },
  { name: 'history, of one number', which: 'ofOneNumber', profile: 'history-of-a-number' },
  { name: 'history, of one reference', which: 'ofOneReference' },
  { name: 'history, changed since', which: 'changedSince', profile: 'changed-since' },
  { name: 'status', which: 'status', profile: 'status' },
  { name: 'balance', which: 'balance' },
]

/** Row 6: reads of an account among 50 thousand and among 5 million messages, in turns, so that both see the same machine. */
export async function measureReads(run: BenchRun): Promise<Figure[]> {
  const small = await openLargeDatabase(run.lengths.largeDatabase / 100, run.say)
  const large = await openLargeDatabase(run.lengths.largeDatabase, run.say)
  const servers: ServerProcess[] = []
  try {
    for (const { folder } of [small, large]) {
      await readThrough(folder)
      servers.push(await startServer(folder))
    }
    const [smallServer, largeServer] = servers as [ServerProcess, ServerProcess]
    const figures: Figure[] = []
    for (const reading of readings) {
      const [few, all] = await measureTurns(run, reading, [
        { database: small, server: smallServer },
        { database: large, server: largeServer },
      ])
      figures.push(...figuresOf(reading, { few, all, small, large }))
    }
    return [...figures, await rowsOfChanges(small, large), exactnessOf(await small.folder.cli('doctor'))]
  } finally {
    for (const server of servers) await server.stop()
  }
}

interface Side {
  database: LargeDatabase
  server: ServerProcess
}

async function measureTurns(
  run: BenchRun,
  reading: Reading,
  sides: readonly [Side, Side],
): Promise<[MeasuredLoad, MeasuredLoad]> {
  const measured: [MeasuredLoad[], MeasuredLoad[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    for (const [i, { database, server }] of sides.entries()) {
      const result = await run.load(`${reading.name}, ${database.messages.toLocaleString('en')} messages`, {
        server, token: database.liveKey, shape: { kind: 'get', paths: readPaths[reading.which](database) }, expectedStatus: 200,
        connections, perSecond, warmUpMs: 500, measureMs: (run.lengths.reads * 1_000) / rounds / perSecond,
      }) // prettier-ignore
      measured[i === 0 ? 0 : 1].push(result)
    }
  }
  return [middle(measured[0]), middle(measured[1])]
}

/** The round whose p99 is in the middle: one hiccup of the machine decides nothing. */
const middle = (measured: readonly MeasuredLoad[]): MeasuredLoad =>
  measured.toSorted((a, b) => a.latency.p99 - b.latency.p99)[Math.floor(measured.length / 2)] as MeasuredLoad

const among = ({ messages }: LargeDatabase): string => `${messages.toLocaleString('en')} messages`

function figuresOf(
  { name, profile }: Reading,
  {
    few,
    all,
    small,
    large,
  }: { few: MeasuredLoad; all: MeasuredLoad; small: LargeDatabase; large: LargeDatabase },
): Figure[] {
  const growth = all.latency.p99 / few.latency.p99
  const profiled = profile === undefined ? {} : { profile }
  const bar = { kind: 'most', most: 1.5, is: growth, unit: '×' } as const
  return [
    {
      row: 6,
      name: `${name}, ${among(large)}`,
      value: latencyOf(all.latency),
      bar: { kind: 'most', most: 5, is: all.latency.p99, unit: 'ms' },
      facts: all.facts,
      ...profiled,
    },
    {
      row: 6,
      name: `${name}, p99 as a multiple of that with ${among(small)}`,
      value: `${growth.toFixed(2)} × (${latencyOf(few.latency)})`,
      bar,
      facts: `${msOf(all.latency.p99)} instead of ${msOf(few.latency.p99)}`,
      ...profiled,
    },
  ]
}

/** What a page of changes reads depends on its limit, and not on how many messages there are. */
async function rowsOfChanges(small: LargeDatabase, large: LargeDatabase): Promise<Figure> {
  const readOf = (database: LargeDatabase): Promise<RowsRead> =>
    countRowsRead(database, () => ({ updatedAfterMs: Date.parse(instant(database)) }))
  const [few, all] = [await readOf(small), await readOf(large)]
  const sum = (rows: RowsRead): number => Object.values(rows).reduce((total, count) => total + count, 0)
  return {
    row: 6,
    name: `history, changed since, rows read for a page, ${among(large)}`,
    value: rowsReadOf(all),
    bar: { kind: 'most', most: 1.5, is: sum(all) / sum(few), unit: '×' },
    facts: `${rowsReadOf(few)} with ${among(small)}`,
    profile: 'changed-since',
  }
}

/** The generated tables are such as the program would have left. */
const exactnessOf = (doctor: Record<string, unknown>): Figure => ({
  row: 6,
  name: 'the generated database adds up',
  value: doctor['ok'] === true ? 'doctor ok' : 'doctor NOT ok',
  bar: { kind: 'holds', holds: doctor['ok'] === true, summary: 'doctor ok' },
})

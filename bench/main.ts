import { parseArgs } from 'node:util'
import { measureAccept, measureAcceptMany } from './accept-rows.ts'
import { BenchMachine } from './bench-machine.ts'
import { besideEmbedded } from './beside-embedded.ts'
import { measureLoadCurve, measureStoredCurve } from './curve-rows.ts'
import { measureDistance } from './distance-rows.ts'
import { type BenchRun, fullLengths, quickLengths } from './bench-run.ts'
import { type Figure, judge } from './figure.ts'
import { describeHost, watchHost } from './host-factor.ts'
import { measureLife, measureLifeOverSmpp } from './life-rows.ts'
import { describeMachine, measureFlush, watchDisturbance } from './machine.ts'
import { measurePhones } from './phones-row.ts'
import { profileNames, readProfileNames } from './profile/profile-names.ts'
import { renderProfile } from './profile/profile-page.ts'
import { profileServer } from './profile/profile-server.ts'
import { measureProvider } from './provider-row.ts'
import { measureReads } from './read-rows.ts'
import { measurePostgres } from './postgres-rows.ts'
import { type Outcome, writeReport, writeRows } from './report.ts'
import { measureOverview } from './overview-row.ts'
import { measureSizes } from './size-row.ts'
import { measureSmppCodec } from './smpp-codec-row.ts'
import { measureSmppWindow } from './smpp-window-row.ts'
import { measureStarts } from './start-rows.ts'
import { measureStatements } from './statements-row.ts'
import { missedSentences, renderTable } from './table.ts'
import { measureVisits } from './visits-row.ts'
import { measureModems } from './modems-row.ts'
import { measureWaited } from './waited-row.ts'
import { measureWays } from './ways-row.ts'
import { measureWire } from './wire-row.ts'
import { measureHangingEndpoints } from './webhooks-row.ts'

const usage = `npm run bench [-- options]

  --rows 1-5,7        Only these rows, by number or name; all when left out.
  --json              JSON on standard output in the place of the table.
  --record            Puts these rows into docs/benchmarks.md, in the place of former ones; a whole run writes all of it.
  --quick             Short runs, for work on the bench itself: their figures say nothing.
  --profile WHAT      Shows instead what the server's threads spend their time on, what they allocate and what they flush; with commas:
                      ${profileNames.join(', ')}; all takes a quarter of an hour.

Rows: 1 the host itself, 2 accept, 3 accept 100 a request, 4 whole life, 5 on the wire, 6 reads, 7 start and memory,
8 smpp-codec, 9 smpp-life, 10 smpp-window, 11 phones, 12 overview, 13 postgres, 14 sizes, 15 webhooks, 16 load, 17 stored, 18 visits,
19 provider, 20 ways, 21 statements, 22 waited, 23 modems, 24 distance.
A whole run takes about half an hour, needs 8 GB for temporary files, and writes docs/benchmarks.md and its charts.
`

/** The rows but the first, which is the host: it is measured before each of them. */
const rows: readonly { row: number; name?: string; measure: (run: BenchRun) => Promise<Figure[]> }[] = [
  { row: 2, measure: measureAccept },
  { row: 3, measure: measureAcceptMany },
  { row: 4, measure: measureLife },
  { row: 5, measure: measureWire },
  { row: 6, measure: measureReads },
  { row: 7, measure: measureStarts },
  { row: 8, name: 'smpp-codec', measure: measureSmppCodec },
  { row: 9, name: 'smpp-life', measure: measureLifeOverSmpp },
  { row: 10, name: 'smpp-window', measure: measureSmppWindow },
  { row: 11, name: 'phones', measure: measurePhones },
  { row: 12, name: 'overview', measure: measureOverview },
  { row: 13, name: 'postgres', measure: measurePostgres },
  { row: 14, name: 'sizes', measure: measureSizes },
  { row: 15, name: 'webhooks', measure: measureHangingEndpoints },
  { row: 16, name: 'load', measure: measureLoadCurve },
  { row: 17, name: 'stored', measure: measureStoredCurve },
  { row: 18, name: 'visits', measure: measureVisits },
  { row: 19, name: 'provider', measure: measureProvider },
  { row: 20, name: 'ways', measure: measureWays },
  { row: 21, name: 'statements', measure: measureStatements },
  { row: 22, name: 'waited', measure: measureWaited },
  { row: 23, name: 'modems', measure: measureModems },
  { row: 24, name: 'distance', measure: measureDistance },
]

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: `1-${rows.length + 1}` },
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      profile: { type: 'string' },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(usage)
  const chosen = readRows(values.rows)
  const startedMs = performance.now()
  const elapsed = (): string => ((performance.now() - startedMs) / 1000).toFixed(0).padStart(4)
  const say = (text: string): void => void process.stderr.write(`${elapsed()} s  ${text}\n`)
  const lengths = values.quick ? quickLengths : fullLengths
  const machine = new BenchMachine(lengths, say)
  const run: BenchRun = { lengths, say, load: machine.load }
  try {
    if (values.profile !== undefined) {
      await profile(run, values.profile)
      return
    }
    const outcome = await measureRows(machine, run, chosen)
    const isWhole = !values.quick && chosen.size === rows.length + 1
    if (isWhole) await writeReport(outcome)
    else if (values.record) await writeRows(outcome, values.rows)
    print(outcome, values.json)
  } finally {
    machine.stop()
  }
}

async function measureRows(
  machine: BenchMachine,
  run: BenchRun,
  chosen: ReadonlySet<number>,
): Promise<Outcome> {
  const flush = measureFlush()
  const host = await watchHost()
  try {
    run.say(`${describeMachine()}; a flush takes ${flush}; ${describeHost(host.times())}`)
    const watched = watchDisturbance()
    const figures: Figure[] = []
    for (const { row, measure } of rows.filter((each) => chosen.has(each.row))) {
      run.say(`row ${row}`)
      figures.push(...(await measure(run)))
      await host.sample()
    }
    const disturbance = watched.stop(machine.pids)
    const all = [...host.figures(), ...figures, ...besideEmbedded(figures)]
    return {
      figures: all.toSorted((a, b) => a.row - b.row),
      flush,
      disturbance,
      host: describeHost(host.times()),
    }
  } finally {
    await host.remove()
  }
}

/** Shows each profile as it is made. */
async function profile(run: BenchRun, names: string): Promise<void> {
  for (const name of readProfileNames(names)) {
    process.stdout.write(`\n${renderProfile(name, await profileServer(run, name))}\n`)
  }
}

function print({ figures, flush, disturbance, host }: Outcome, asJson: boolean): void {
  if (asJson) {
    const judged = figures.map((figure) => ({ ...figure, ...judge(figure) }))
    process.stdout.write(
      `${JSON.stringify({ machine: describeMachine(), host, flush, disturbance, figures: judged }, null, 2)}\n`,
    )
    return
  }
  const missed = missedSentences(figures).map((sentence) => `- ${sentence}\n`)
  const misses = missed.length === 0 ? '' : `\nMissed:\n${missed.join('')}`
  process.stdout.write(`\n${renderTable(figures)}\n${misses}\nA flush takes ${flush}; ${disturbance}.\n`)
}

/** Reads `1-3,smpp-codec`. */
function readRows(text: string): Set<number> {
  const chosen = text.split(',').flatMap((part) => {
    const named = rows.find(({ name }) => name === part)
    if (named !== undefined) return [named.row]
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? []
    const numbers = [1, ...rows.map(({ row }) => row)]
    if (!numbers.includes(Number(from)) || !numbers.includes(Number(to)))
      throw new Error(
        `--rows needs names, or numbers from 1 to ${numbers.length}, such as 1-3,7; it was '${text}'.`,
      )
    return numbers.filter((number) => number >= Number(from) && number <= Number(to))
  })
  return new Set(chosen)
}

await main()

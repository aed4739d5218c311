import { parseArgs } from 'node:util'
import { measureAccept, measureAcceptMany } from './accept-rows.ts'
import { BenchMachine, type BenchRun, fullLengths, quickLengths } from './bench-run.ts'
import { exampleAnswer } from './example-answer.ts'
import { type Figure, judge, median, perSecondOf } from './figure.ts'
import { measureLife } from './life-rows.ts'
import { describeMachine, measureFlush, watchDisturbance } from './machine.ts'
import { profileServer } from './profile.ts'
import { measureReads } from './read-rows.ts'
import { type Outcome, writeReport } from './report.ts'
import { measureStarts } from './start-rows.ts'
import { missedSentences, renderTable } from './table.ts'
import { measureWire } from './wire-row.ts'

const usage = `npm run bench [-- options]

  --rows 1-5,7        Only these rows; all when left out.
  --json              JSON on standard output in the place of the table.
  --quick             Short runs, for work on the bench itself: their figures say nothing.
  --profile ROWS      Profiles the server during these rows instead: accept, accept-many, life.

Rows: 1 the bare server (N), 2 accept, 3 accept 100 a request, 4 whole life, 5 on the wire, 6 reads, 7 start and memory.
A whole run takes about ten minutes, needs 6 GB for temporary files, and writes docs/benchmarks.md.
`

/** The rows that are measured as multiples of N, and the others. Row 1 is N itself. */
const rows: readonly { row: number; measure: (run: BenchRun) => Promise<Figure[]>; ofN: boolean }[] = [
  { row: 2, measure: measureAccept, ofN: true },
  { row: 3, measure: measureAcceptMany, ofN: true },
  { row: 4, measure: measureLife, ofN: true },
  { row: 5, measure: measureWire, ofN: false },
  { row: 6, measure: measureReads, ofN: false },
  { row: 7, measure: measureStarts, ofN: false },
]
const lastRow = 7

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: `1-${lastRow}` },
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(usage)
  const startedMs = performance.now()
  const say = (text: string): void =>
    void process.stderr.write(
      `${((performance.now() - startedMs) / 1000).toFixed(0).padStart(4)} s  ${text}\n`,
    )
  const lengths = values.quick ? quickLengths : fullLengths
  const machine = new BenchMachine(lengths, say)
  const run: BenchRun = { lengths, say, load: machine.load, nodeOptions: [] }
  try {
    if (values.profile !== undefined) return await profileServer(run, values.profile.split(','))
    const chosen = readRows(values.rows)
    const flush = measureFlush()
    say(`${describeMachine()}; a flush takes ${flush}`)
    const watched = watchDisturbance()
    const figures = await measureRows(machine, run, chosen)
    const disturbance = watched.stop(machine.pids)
    const isWhole = !values.quick && chosen.size === lastRow
    const outcome = { figures, n: machine.n, flush, disturbance }
    if (isWhole) await writeReport(outcome)
    print(outcome, values.json)
  } finally {
    machine.stop()
  }
}

async function measureRows(
  machine: BenchMachine,
  run: BenchRun,
  chosen: ReadonlySet<number>,
): Promise<Figure[]> {
  const measured: Figure[] = []
  const needsN = chosen.has(1) || rows.some(({ row, ofN }) => ofN && chosen.has(row))
  if (needsN) {
    await machine.startEcho(await exampleAnswer(run))
    await machine.sampleEcho()
  }
  for (const { row, measure, ofN } of rows.filter((each) => chosen.has(each.row))) {
    run.say(`row ${row}`)
    measured.push(...(await measure(run)))
    if (ofN) await machine.sampleEcho()
  }
  if (needsN) await machine.sampleEcho()
  return needsN ? [echoFigure(machine.echoRates), ...measured] : measured
}

const echoFigure = (rates: readonly number[]): Figure => ({
  row: 1,
  name: 'N: bare node:http, parses and answers the same JSON, 64 connections',
  value: `${perSecondOf(median(rates))} (${perSecondOf(Math.min(...rates))} to ${perSecondOf(Math.max(...rates))})`,
  perSecond: median(rates),
})

function print({ figures, n, flush, disturbance }: Outcome, asJson: boolean): void {
  if (asJson) {
    const judged = figures.map((figure) => ({ ...figure, ...judge(figure, n) }))
    process.stdout.write(`${JSON.stringify({ n, flush, disturbance, figures: judged }, null, 2)}\n`)
    return
  }
  const missed = missedSentences(figures, n).map((sentence) => `- ${sentence}\n`)
  process.stdout.write(
    `\n${renderTable(figures, n)}\n${missed.length === 0 ? '' : `\nMissed:\n${missed.join('')}`}`,
  )
}

/** Reads `1-3,7`. */
function readRows(text: string): Set<number> {
  const chosen = text.split(',').flatMap((part) => {
    const [, from, to = from] = /^([1-7])(?:-([1-7]))?$/.exec(part) ?? []
    if (from === undefined)
      throw new Error(`--rows needs numbers from 1 to ${lastRow}, such as 1-3,7; it was '${text}'.`)
    return Array.from({ length: Math.max(0, Number(to) - Number(from) + 1) }, (_, i) => Number(from) + i)
  })
  return new Set(chosen)
}

await main()

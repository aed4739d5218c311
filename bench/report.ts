import { readFile, writeFile } from 'node:fs/promises'
import type { Figure } from './figure.ts'
import { drawLines } from './line-chart.ts'
import { describeMachine } from './machine.ts'
import { recordRows } from './record-rows.ts'
import { missedSentences, renderTable } from './table.ts'

export interface Outcome {
  figures: readonly Figure[]
  /** How long a flush of the disk takes. */
  flush: string
  /** How much of the machine other processes had. */
  disturbance: string
  /** How fast the host itself was. */
  host: string
}

const file = new URL('../docs/benchmarks.md', import.meta.url)

/** Sections with the results of other benches: bench/peers.ts, and bench/forms.ts, which measures releases. */
const otherHeadings = ['## Side by side\n', '## Forms of the program\n']

/** Returns the section of a page that another program writes, from its heading to the next; empty where there is none. */
function sectionOf(page: string, heading: string): string {
  const [, section] = page.split(heading)
  return section === undefined ? '' : `${heading}${section.split(/^(?=## )/m)[0] ?? ''}`
}

/** Puts some rows into docs/benchmarks.md, in the place of former ones. `rows` says which, as it was asked. */
export async function writeRows({ figures, disturbance, host }: Outcome, rows: string): Promise<void> {
  const about = `${new Date().toISOString().slice(0, 10)}, ${describeMachine()}; ${host}; ${disturbance}.`
  await writeFile(file, recordRows(await readFile(file, 'utf8'), { figures, rows, about }))
  await writeCharts(figures)
}

async function writeCharts(figures: readonly Figure[]): Promise<void> {
  for (const { chart } of figures)
    if (chart !== undefined) await writeFile(new URL(`${chart.name}.svg`, file), drawLines(chart))
}

/** Writes docs/benchmarks.md from one whole run. Sections of other benches stay. */
export async function writeReport({ figures, flush, disturbance, host }: Outcome): Promise<void> {
  const missed = missedSentences(figures).map((sentence) => `- ${sentence}`)
  const charts = figures.flatMap(({ chart }) => (chart === undefined ? [] : [chart]))
  const former = await readFile(file, 'utf8')
  const others = otherHeadings.map((heading) => sectionOf(former, heading)).join('')
  const page = `# Benchmarks

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}. A bar is a count, a bound of time, or a pair that one run measured in
turns: rates of two runs differ by what else the machine does.

- Machine: ${describeMachine()}.
- The host itself: ${host}. Divide processor times by it to read two pages together.
- To write and flush a page of 4 KiB takes it ${flush}.
- Quiet or not: ${disturbance}.

${renderTable(figures)}

${charts.map(({ name, summary }) => `![${summary}](${name}.svg)\n`).join('\n')}
${missed.length === 0 ? 'Every bar was met.' : `Missed:\n\n${missed.join('\n')}`}

${others}## How it is measured

- Everything runs on one machine, over loopback: the load generator is a process of its own, the server is a built program with the options of \`npm start\`
  with its default settings and log, on a fresh data folder that was set up through the command line.
- **The host factor** is the processor time of two fixed pieces of work, in JavaScript and in C, measured before each row
  (\`bench/host-factor.ts\`); 1 is 100 ms. It says how fast the host was on that day.
- **Processor** is what all threads of the server used for each message or request. Rates of accepting are measured three times, and the middle one
  counts; whole lives are measured once. For a change of the code, \`npm run bench:pairs\` compares two checkouts in turns.
- The load generator keeps each connection open with one request at a time, writes raw
  bytes in which only the digits of the recipients change, and reads no more of an answer than its status and where it ends
  (\`bench/load-generator.ts\`): what it uses is missing on the same cores, 10 µs a request where autocannon needs 13. Every answer
  must have the expected status, or the run ends.
- Without a rate, a connection asks again as soon as it is answered. With a rate (the latencies at half load, on the wire, and
  of reads), requests stand in line when they are due, and their time counts from then: a slow answer excuses no other.
- **Accept**: the only device of the account is offline, so that accepting is all that happens. Each 202 is flushed to the disk,
  and the account has a balance and no limits.
- **Whole life**: the simulator with \`delay_ms=0\`. From the acceptance of the first message to the final state of the last, by the
  times in the database; afterwards every message must be delivered and charged once, and \`onesixty doctor\` must find nothing.
- **PostgreSQL** runs on the same two cores. Accepting is measured while every link is offline, of one account and of 200 in turns; then eight
  simulators, of which each node runs as many, work on what waits, and what becomes final within some seconds is counted. Deadlocks are the server's count.
- **A PostgreSQL farther away**: a proxy passes everything on later (\`test/peers/fault-proxy.ts\`), and the round trip is that of an idle connection
  through it. Flushes take longer by \`commit_delay\`, which waits before each.
- **On the wire**: from the moment the request is sent to the moment a peer process has the message (\`test/peers/message-peer.ts\`),
  in whole milliseconds.
- **Reads**: four of five messages belong to the account that asks, the others to 20 more; one in 500 waits. The databases are
  filled by SQL and kept in the folder for temporary files for the next run. Both are read through once, so that they lie in
  the page cache, and asked in turns, three rounds each; the round with the middle p99 counts.
- **A messaging service**: a process that answers each request after 50 ms and counts requests, those in flight and connections.
- **Ways**: three servers with the same four devices, in turns, five rounds after one that warms up; medians.
- **Statements** are runs of prepared statements on the embedded database, in all threads (\`bench/statement-hooks.ts\`): a count, which no other
  work on the machine changes. How many sends share a unit does: with one recipient a request it varies by some per cent.
- **SMPP**: an ESME and an SMSC, each a process, four sessions with a window of 100; with our codec on both ends (and our session in the ESME), then with
  the npm package \`smpp\` on both. A submit is two PDUs. Texts are translated to GSM-7 and back by both, octets by neither. Rounds in
  turns; the middle ratio counts.
- **Starts**: of a built program.
- **Of a core**: what the main thread used, then each other thread that used 5 % or more, the busiest first.
- **Memory** is what is resident (\`VmRSS\`).

\`npm run bench -- --rows 2,3\` runs some rows, \`--quick\` shortens them, and \`--profile accept\` shows where the time goes.
`
  await writeFile(file, page)
  await writeCharts(figures)
}

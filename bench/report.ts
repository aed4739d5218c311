import { readFile, writeFile } from 'node:fs/promises'
import type { Figure } from './figure.ts'
import { drawLines } from './line-chart.ts'
import { describeMachine } from './machine.ts'
import { missedSentences, renderTable } from './table.ts'

export interface Outcome {
  figures: readonly Figure[]
  /** How long a flush of the disk takes. */
  flush: string
  /** How much of the machine somebody else had. */
  disturbance: string
}

const file = new URL('../docs/benchmarks.md', import.meta.url)

/** Starts the section with the results of bench/forms.ts, which measures releases. */
const formsHeading = '## Forms of the program\n'

/** Returns the section of a page that another program writes, from its heading to the next; empty where there is none. */
function sectionOf(page: string, heading: string): string {
  const [, section] = page.split(heading)
  return section === undefined ? '' : `${heading}${section.split(/^(?=## )/m)[0] ?? ''}`
}

/** Writes docs/benchmarks.md from one whole run. The section of bench/forms.ts stays. */
export async function writeReport({ figures, flush, disturbance }: Outcome): Promise<void> {
  const missed = missedSentences(figures).map((sentence) => `- ${sentence}`)
  const charts = figures.flatMap(({ chart }) => (chart === undefined ? [] : [chart]))
  const forms = sectionOf(await readFile(file, 'utf8'), formsHeading)
  const page = `# Benchmarks

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}. Rates are compared with N, the rate of a
bare \`node:http\` server in the same run, because the machine matters more than the program.

- Machine: ${describeMachine()}.
- To write and flush a page of 4 KiB takes it ${flush}.
- Quiet or not: ${disturbance}.

${renderTable(figures)}

${charts.map(({ name, summary }) => `![${summary}](${name}.svg)\n`).join('\n')}
${missed.length === 0 ? 'Every bar was met.' : `Missed:\n\n${missed.join('\n')}`}

${forms}## How it is measured

- Everything runs on one machine, over loopback: the load generator is a process of its own, the server is a built program with the options of \`npm start\`
  with its default settings and log, on a fresh data folder that was set up through the command line.
- **N** is a process whose server reads the body, parses its JSON and answers 202 with a JSON of the size of ours, without a
  router, authentication, validation, a log or a database (\`bench/echo-server.ts\`). It is measured before and after each rate,
  and the rate is compared with the mean of both; the table shows the median of all. Rates of accepting that have a bar are
  measured three times, and the middle ratio counts; whole lives are measured once.
- The same generator asks both, with the same request. It keeps each connection open with one request at a time, writes raw
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
- **On the wire**: from the moment the request is sent to the moment a peer process has the message (\`test/peers/message-peer.ts\`),
  in whole milliseconds.
- **Reads**: four of five messages belong to the account that asks, the others to 20 more; one in 500 waits. The databases are
  filled by SQL and kept in the folder for temporary files for the next run. Both are read through once, so that they lie in
  the page cache, and asked in turns, three rounds each; the round with the middle p99 counts.
- **SMPP**: an ESME and an SMSC, each a process, four sessions with a window of 100; with our codec on both ends (and our session in the ESME), then with
  the npm package \`smpp\` on both. A submit is two PDUs. Texts are translated to GSM-7 and back by both, octets by neither. Rounds in
  turns; the middle ratio counts.
- **Starts**: modules were stripped of their types by an earlier start, but for the first one after an installation (decision 36).
- **Of a core**: what the main thread used, then each other thread that used 5 % or more, the busiest first. N itself may vary on a machine that reports
  nothing else: each rate is to be compared with the N beside it, not with rates of other rows.
- **Memory** is what is resident (\`VmRSS\`).

\`npm run bench -- --rows 2,3\` runs some rows, \`--quick\` shortens them, and \`--profile accept\` shows where the time goes
([docs/profiles](profiles/)).
`
  await writeFile(file, page)
  for (const chart of charts) await writeFile(new URL(`${chart.name}.svg`, file), drawLines(chart))
}

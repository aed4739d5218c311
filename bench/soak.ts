import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sizeOf } from '../test/proof-sizes.ts'
import { buildMessages } from './large-database.ts'
import { waitUntilFinal } from './life-rows.ts'
import { one } from './load-job.ts'
import { startLoadGenerator } from './load-generator.ts'
import { residentMegabytes } from './process-usage.ts'
import {
  type BenchAccount,
  type BenchFolder,
  databaseOf,
  logOf,
  type ServerProcess,
  withServer,
} from './server-process.ts'
import { judgeSoak, type Soaked } from './soak-bars.ts'
import { drawSoak } from './soak-chart.ts'
import { watchSoak } from './soak-watch.ts'

const usage = `npm run bench:soak [-- options]

  --per-second N      Messages a second (3,000).
  --record            Writes docs/soak.json and its chart, docs/soak.svg, where every bar was met.
  --json              The samples as JSON on standard output.

ONESIXTY_TEST_SOAK_MESSAGES=N sets how many messages it takes; 1,000,000 in npm run prove. As many of 80 to 100 days ago lie there already:
retention removes half of them, and erases the texts of the others and of all that end meanwhile. Half as many again are sent to see whether
memory goes on growing (docs/decisions/0037). Ends with 1 when a bar is missed, which its last line names.
`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'per-second': { type: 'string', default: '3000' },
      record: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(usage)
  if (withMore(sizeOf('SOAK_MESSAGES')) > 100_000_000)
    throw new Error('The numbers of recipients end before that.')
  const soaked = await soak(sizeOf('SOAK_MESSAGES'), Number(values['per-second']))
  const { samples, faults } = soaked
  const { summary, holds } = judgeSoak(soaked)
  if (values.record && holds) {
    const lines = samples.map((sample) => JSON.stringify(sample))
    writeFileSync(new URL('../docs/soak.json', import.meta.url), `[\n${lines.join(',\n')}\n]\n`)
    writeFileSync(new URL('../docs/soak.svg', import.meta.url), drawSoak(samples))
  }
  if (values.json) process.stdout.write(`${JSON.stringify(samples, null, 2)}\n`)
  if (faults.length > 0) process.stderr.write(`The doctor finds: ${faults.join(', ')}.\n`)
  process.stderr.write(`${summary}\n`)
  process.exitCode = holds ? 0 : 1
}

const dayMs = 86_400_000
const recordDays = 90
/** The old messages span 20 days, and half of them are too old. */
const newestOldMs = 80 * dayMs

/** Half as many again. */
const withMore = (messages: number): number => Math.ceil(1.5 * messages)

/**
 * Sends so many messages at an even rate, and half as many again between two collections of all garbage, which would keep the most that is resident
 * lower if they came earlier. Waits for the ends of all and for retention before each, and samples all the while.
 */
function soak(messages: number, perSecond: number): Promise<Soaked> {
  const all = withMore(messages)
  const startedMs = Date.now()
  const env = { ONESIXTY_TEXT_RETENTION_DAYS: '0', ONESIXTY_RECORD_RETENTION_DAYS: String(recordDays) }
  const start = {
    settings: ['delay_ms=1000'],
    env,
    nodeOptions: ['--import', new URL('collect-when-asked.js', import.meta.url).href],
    beforeStart: (folder: BenchFolder, account: BenchAccount): void =>
      void buildMessages(databaseOf(folder), { ...account, messages, nowMs: startedMs - newestOldMs }),
  }
  return withServer(start, async ({ folder, account, server }) => {
    const generator = startLoadGenerator()
    const watched = watchSoak(folder, server)
    const sendThrough = async (firstMessage: number, maxRequests: number) => {
      const job = {
        ports: [server.port], tokens: [account.liveKey], shape: one, connections: 64, perSecond, warmUpMs: 0, firstMessage, maxRequests,
        measureMs: longestShare * Math.ceil((maxRequests / perSecond) * 1_000), keepTimes: false,
      } // prettier-ignore
      await generator.run(job, 202)
      // A server that is too slow, or loses some, is judged by all bars: what made it slow may be the bug that one of them is for.
      await waitUntilFinal(folder).catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
      return overdueAfterRetention(folder, Date.now())
    }
    try {
      await sendThrough(0, messages)
      const before = await residentOnceCollected(folder, server)
      const overdue = await sendThrough(messages, all - messages)
      const after = await residentOnceCollected(folder, server)
      const samples = watched.stop()
      const undelivered = all - (await countDelivered(folder, startedMs))
      const faults = await faultsByDoctor(folder)
      return { samples, collectedMegabytes: [before, after], undelivered, ...overdue, faults }
    } finally {
      watched.cancel()
      generator.stop()
    }
  })
}

/** What `collect-when-asked.js` says each time that all threads have collected their garbage. */
const collectedLine = 'garbage is collected\n'
const collectTimeoutMs = 10_000

/** Has the server collect its garbage. Throws where it does not say that it has: what is resident would tell nothing. */
async function residentOnceCollected(folder: BenchFolder, { pid }: ServerProcess): Promise<number> {
  const said = async (): Promise<number> =>
    (await readFile(logOf(folder), 'utf8')).split(collectedLine).length
  const saidBefore = await said()
  process.kill(pid, 'SIGUSR2')
  for (const deadline = performance.now() + collectTimeoutMs; (await said()) === saidBefore; await sleep(100))
    if (performance.now() > deadline) throw new Error('The server did not collect its garbage in time.')
  return residentMegabytes(pid)
}

/** A server that is slower than it is asked to be gets twice the time. */
const longestShare = 2

/** The names of the checks that do not hold. */
async function faultsByDoctor(folder: BenchFolder): Promise<string[]> {
  const { checks } = (await folder.cli('doctor').catch(answerOfFailure)) as {
    checks: { name: string; ok: boolean }[]
  }
  return checks.filter(({ ok }) => !ok).map(({ name }) => name)
}

/** A doctor that finds something ends with 1, and says what on its standard output all the same. */
const answerOfFailure = (error: unknown): Record<string, unknown> => {
  const { stdout } = error as { stdout?: string }
  if (stdout === undefined || stdout === '') throw error
  return JSON.parse(stdout) as Record<string, unknown>
}

async function countDelivered(folder: BenchFolder, sinceMs: number): Promise<number> {
  const [row] = await folder.query(
    `select count(*) as delivered from messages where status = 'delivered' and created_at >= ${sinceMs}`,
  )
  return Number(row?.['delivered'])
}

/** Retention looks each minute, and may be within a long look when the last message ends. */
const retentionTimeoutMs = 150_000

/** What ended by then and should have been erased or removed, once nothing of it is left or retention has had its time. */
async function overdueAfterRetention(
  folder: BenchFolder,
  endedMs: number,
): Promise<Pick<Soaked, 'overdueTexts' | 'overdueRecords'>> {
  for (const deadline = performance.now() + retentionTimeoutMs; ; await sleep(1_000)) {
    const [row] = await folder.query(
      `select (select count(*) from messages where text is not null and finalized_at < ${endedMs}) as texts,
        (select count(*) from messages where created_at < ${endedMs - recordDays * dayMs} and finalized_at < ${endedMs}) as records`,
    )
    const overdueTexts = Number(row?.['texts'])
    const overdueRecords = Number(row?.['records'])
    if (overdueTexts + overdueRecords === 0 || performance.now() > deadline)
      return { overdueTexts, overdueRecords }
  }
}

if (import.meta.main) await main()

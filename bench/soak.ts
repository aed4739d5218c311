import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sizeOf } from '../test/proof-sizes.ts'
import { mean } from './figure.ts'
import { waitUntilFinal } from './life-rows.ts'
import { one } from './load-job.ts'
import { startLoadGenerator } from './load-generator.ts'
import { residentMegabytes } from './process-usage.ts'
import { type BenchFolder, databaseOf, type ServerProcess, withServer } from './server-process.ts'
import { drawSoak } from './soak-chart.ts'

const usage = `npm run bench:soak [-- options]

  --per-second N      Messages a second (3,000).
  --record            Writes docs/soak.json and its chart, docs/soak.svg, where every bar was met.
  --json              The samples as JSON on standard output.

ONESIXTY_TEST_SOAK_MESSAGES=N sets how many messages it takes; 1,000,000 in npm run prove. Texts are erased as their messages end, so that
what deletes works all the time. Ends with 1 when a bar is missed, which its last line names.
`

/** What was seen at one time. */
export interface SoakSample {
  atSeconds: number
  residentMegabytes: number
  databaseMegabytes: number
  walMegabytes: number
}

interface Soaked {
  samples: SoakSample[]
  /** Texts that retention should have erased by the end. */
  overdueTexts: number
}

/** Resident memory at most, what it may grow by in the second half, and the write-ahead log at most, in MB. */
export const soakBars = { residentMegabytes: 300, growthMegabytes: 5, walMegabytes: 64 } as const

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
  if (sizeOf('SOAK_MESSAGES') > 100_000_000) throw new Error('The numbers of recipients end before that.')
  const { samples, overdueTexts } = await soak(sizeOf('SOAK_MESSAGES'), Number(values['per-second']))
  const { says, holds } = judgeSoak(samples, overdueTexts)
  if (values.record && holds) {
    writeFileSync(new URL('../docs/soak.json', import.meta.url), `${JSON.stringify(samples)}\n`)
    writeFileSync(new URL('../docs/soak.svg', import.meta.url), drawSoak(samples))
  }
  if (values.json) process.stdout.write(`${JSON.stringify(samples, null, 2)}\n`)
  process.stderr.write(`${says}\n`)
  process.exitCode = holds ? 0 : 1
}

/** Sends so many messages at an even rate, waits for their ends, and samples all the while. */
function soak(messages: number, perSecond: number): Promise<Soaked> {
  const env = { ONESIXTY_TEXT_RETENTION_DAYS: '0' }
  return withServer(
    { settings: ['delay_ms=1000'], nodeOptions: [], env },
    async ({ folder, account, server }) => {
      const generator = startLoadGenerator()
      const watched = watch(folder, server)
      try {
        const job = {
        ports: [server.port], tokens: [account.liveKey], shape: one, connections: 64, perSecond, warmUpMs: 0,
        measureMs: longestShare * Math.ceil((messages / perSecond) * 1_000), maxRequests: messages, firstMessage: 0, keepTimes: false,
      } // prettier-ignore
        const { messages: sent } = await generator.run(job, 202)
        if (sent < messages) throw new Error(`Only ${sent} of ${messages} messages were sent in time.`)
        await waitUntilFinal(folder)
        await expectDelivered(folder, sent)
      } finally {
        generator.stop()
      }
      const samples = watched.stop()
      const { ok } = await folder.cli('doctor')
      if (ok !== true) throw new Error('The doctor finds that the sums do not agree.')
      return { samples, overdueTexts: await countOverdueTexts(folder) }
    },
  )
}

/** A server that is slower than it is asked to be gets twice the time. */
const longestShare = 2

async function expectDelivered(folder: BenchFolder, sent: number): Promise<void> {
  const [row] = await folder.query("select count(*) as delivered from messages where status = 'delivered'")
  const delivered = Number(row?.['delivered'])
  if (delivered !== sent) throw new Error(`${delivered} of ${sent} messages were delivered.`)
}

/** Retention looks each minute; what ended two minutes ago it has met, however long its last look took. */
const overdueMs = 120_000

async function countOverdueTexts(folder: BenchFolder): Promise<number> {
  const [row] = await folder.query(
    `select count(*) as overdue from messages where text is not null and finalized_at < ${Date.now() - overdueMs}`,
  )
  return Number(row?.['overdue'])
}

const sampleEachMs = 1_000

function watch(folder: BenchFolder, { pid }: ServerProcess): { stop(): SoakSample[] } {
  const samples: SoakSample[] = []
  const startedMs = performance.now()
  const megabytes = (file: string): number =>
    (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / 1_000_000
  const file = databaseOf(folder)
  const take = (): void =>
    void samples.push({
      atSeconds: Math.round((performance.now() - startedMs) / 1_000),
      residentMegabytes: residentMegabytes(pid),
      databaseMegabytes: megabytes(file),
      walMegabytes: megabytes(join(`${file}-wal`)),
    })
  take()
  const timer = setInterval(take, sampleEachMs)
  return {
    stop() {
      clearInterval(timer)
      take()
      return samples
    },
  }
}

/** Holds the samples against the bars; a soak in which nothing was erased shows nothing. */
export function judgeSoak(
  samples: readonly SoakSample[],
  overdueTexts: number,
): { holds: boolean; says: string } {
  const most = (of: (sample: SoakSample) => number): number => Math.max(...samples.map(of))
  const resident = most((sample) => sample.residentMegabytes)
  const wal = most((sample) => sample.walMegabytes)
  const growth = growthOf(samples.slice(Math.floor(samples.length / 2)))
  const missed = [
    resident > soakBars.residentMegabytes ? ['resident memory is too high'] : [],
    growth > soakBars.growthMegabytes ? ['resident memory goes on growing'] : [],
    wal > soakBars.walMegabytes ? ['the write-ahead log is too long'] : [],
    overdueTexts > 0 ? ['texts are not erased'] : [],
  ].flat()
  const megabytes = (value: number): string => `${value.toFixed(1)} MB`
  const seen = `resident ${megabytes(resident)} at most (≤ ${soakBars.residentMegabytes}), ${megabytes(growth)} more over the second half (≤ ${soakBars.growthMegabytes}), write-ahead log ${megabytes(wal)} at most (≤ ${soakBars.walMegabytes}), ${overdueTexts} texts overdue`
  return { holds: missed.length === 0, says: [seen, ...missed].join('; ') }
}

/** What the line of least squares through resident memory rises by from the first sample to the last. */
function growthOf(samples: readonly SoakSample[]): number {
  const times = samples.map(({ atSeconds }) => atSeconds)
  const sizes = samples.map((sample) => sample.residentMegabytes)
  const [time, size] = [mean(times), mean(sizes)]
  const spread = times.reduce((sum, at) => sum + (at - time) ** 2, 0)
  const slope = samples.reduce(
    (sum, sample) => sum + (sample.atSeconds - time) * (sample.residentMegabytes - size),
    0,
  )
  return spread === 0 ? 0 : (slope / spread) * ((times.at(-1) ?? 0) - (times[0] ?? 0))
}

if (import.meta.main) await main()

import { readFile } from 'node:fs/promises'
import { exampleDemand, type Measured, planFor, readBenchmarks } from '../scaling-model.ts'
import type { Generator } from './generator.ts'

const path = 'docs/scaling.md'
const begin =
  '<!-- model:begin, written by npm run generate from docs/benchmarks.md by scripts/scaling-model.ts -->'
const end = '<!-- model:end -->'

/** The table of the model in `docs/scaling.md`, from what the benchmarks measured. */
export const scalingTables: Generator = {
  path,
  async render() {
    const [before, rest] = (await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')).split(begin)
    const after = rest?.split(end)[1]
    if (before === undefined || after === undefined) throw new Error(`${path} has no ${begin} … ${end}.`)
    return `${before}${begin}\n${renderModel(await readBenchmarks())}${end}${after}`
  },
}

const rates = [1, 10, 100, 300, 1_000, 3_000, 10_000]

function renderModel(measured: Measured): string {
  const { busyHoursADay, retentionDays, machinePrice, gigabytePrice } = exampleDemand
  const { bytes } = measured
  const postgres =
    measured.postgresLifePerSecond === null
      ? 'not measured yet (`npm run bench -- --rows postgres`)'
      : `${whole(measured.postgresLifePerSecond)}/s`
  return `
| measured | embedded | PostgreSQL |
| --- | --- | --- |
| whole life of a message, one recipient a request | ${whole(measured.lifePerSecond)}/s | ${postgres} |
| on the disk for each message | ${whole(bytes.embedded)} B | ${whole(bytes.postgres)} B |
| in the write-ahead log for each message, which a log archive keeps | | ${whole(bytes.postgresLog)} B |

${busyHoursADay} such hours a day, kept for ${retentionDays} days (\`ONESIXTY_RECORD_RETENTION_DAYS\`); as examples of prices ${machinePrice} a month for a machine
like that of the benchmarks and ${gigabytePrice} for a gigabyte of disk.

| messages/s in the busiest hour | a day | kept | embedded: disk | a month | PostgreSQL: cells | nodes | machines | disk | log a day | a month |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rates.map((perSecond) => row(perSecond, measured)).join('\n')}
`
}

function row(perSecond: number, measured: Measured): string {
  const plan = planFor({ ...exampleDemand, perSecond }, measured)
  const { embedded, postgres } = plan
  const ofEmbedded =
    embedded === null ? ['too much', ''] : [gigabytes(embedded.diskGigabytes), whole(embedded.costAMonth)]
  const ofPostgres =
    postgres === null
      ? ['–', '–', '–', '–', '–', '–']
      : [
          whole(postgres.cells),
          whole(postgres.nodes),
          whole(postgres.machines),
          gigabytes(postgres.diskGigabytes),
          gigabytes(postgres.logGigabytesADay),
          whole(postgres.costAMonth),
        ]
  return `| ${[whole(perSecond), whole(plan.messagesADay), whole(plan.messagesKept), ...ofEmbedded, ...ofPostgres].join(' | ')} |`
}

const whole = (value: number): string => Math.round(value).toLocaleString('en')
const gigabytes = (value: number): string =>
  value < 10 ? `${value.toFixed(1)} GB` : value < 10_000 ? `${whole(value)} GB` : `${whole(value / 1_000)} TB`

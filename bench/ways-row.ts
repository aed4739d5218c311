import type { BenchRun } from './bench-run.ts'
import { type Figure, median, perSecondOf, usOf } from './figure.ts'
import { live } from './life-rows.ts'
import { hundred } from './load-job.ts'
import { type ServedBench, withServer } from './server-process.ts'
import { createStatementCounter, type StatementCounter } from './statement-counter.ts'

const row = 20
/** Rounds in turns after one that warms up: the machine changes more between minutes than ways cost. */
const rounds = 5
/** Each gets the account three more simulators, so that all have the same four devices. */
const moreDevices = 3
const longestLoadMs = 180_000
/** A rule is read from memory: it adds no statement to a message. Polls and janitors of the server add some to all. */
const maxMoreStatements = 0.1

interface Compared {
  name: string
  /** What it must reach of the life without rules. */
  least: number
  wayOf: (devices: readonly string[]) => string
}

const weighed = (devices: readonly string[]): string => devices.map((id) => `${id}*1`).join(',')

const compared: readonly Compared[] = [
  { name: 'one way', least: 0.98, wayOf: (devices) => devices.join(',') },
  {
    name: 'sixteen ways',
    least: 0.95,
    wayOf: (devices) => `${weighed(devices)}; ${weighed(devices)} busy`,
  },
]

/** Row 20: whole lives on one way and on sixteen, against the same without rules: three servers in turns. */
export const measureWays = (run: BenchRun): Promise<Figure[]> =>
  withDevices(async (without) =>
    withDevices(async (one) => {
      await addRule(one, compared[0] as Compared)
      return withDevices(async (many) => {
        await addRule(many, compared[1] as Compared)
        return compareLives(run, [without, one, many])
      })
    }),
  )

interface Served extends ServedBench {
  devices: string[]
  statements: StatementCounter
}

async function withDevices<T>(use: (served: Served) => Promise<T>): Promise<T> {
  const statements = await createStatementCounter()
  try {
    const { nodeOptions } = statements
    return await withServer({ settings: ['delay_ms=0'], nodeOptions }, async (served) => {
      const { folder, account } = served
      for (let i = 0; i < moreDevices; i++)
        await folder.cli('device', 'add', 'simulator', '--account', account.accountId, '--name', `S${i}`, '--set', 'delay_ms=0') // prettier-ignore
      const found = await folder.query(`select id from devices where account_id = '${account.accountId}'`)
      return use({ ...served, statements, devices: found.map(({ id }) => id as string) })
    })
  } finally {
    await statements.remove()
  }
}

const addRule = ({ folder, devices }: Served, { name, wayOf }: Compared): Promise<unknown> =>
  folder.cli('route', 'add', '--name', name, '--way', wayOf(devices))

/** Medians over the rounds, a message. */
interface Costs {
  perSecond: number
  us: number
  statements: number
}

async function compareLives(run: BenchRun, servers: readonly Served[]): Promise<Figure[]> {
  const names = ['no rules', ...compared.map(({ name }) => name)]
  const seen = servers.map((): Costs[] => [])
  for (let round = 0; round <= rounds; round++)
    for (const [i, served] of servers.entries()) {
      const costs = await liveOnce(run, `whole life, ${names[i]}`, served)
      if (round > 0) seen[i]?.push(costs)
    }
  const [without, ...others] = seen.map(mediansOf) as [Costs, ...Costs[]]
  return compared.flatMap((each, i) => figuresOf(each, without, others[i] as Costs))
}

async function liveOnce(run: BenchRun, name: string, served: Served): Promise<Costs> {
  // A third of a life's row: there are eighteen of them, and they take turns.
  const maxRequests = Math.ceil(run.lengths.lives.hundred / 3)
  const before = await served.statements.count()
  const { perSecond, us, messages } = await live(run, { name, shape: hundred }, { served, limits: { measureMs: longestLoadMs, maxRequests } }) // prettier-ignore
  return { perSecond, us, statements: ((await served.statements.count()) - before) / messages }
}

const mediansOf = (all: readonly Costs[]): Costs => ({
  perSecond: median(all.map(({ perSecond }) => perSecond)),
  us: median(all.map(({ us }) => us)),
  statements: median(all.map(({ statements }) => statements)),
})

function figuresOf({ name, least }: Compared, without: Costs, on: Costs): Figure[] {
  const ratio = on.perSecond / without.perSecond
  const moreStatements = on.statements - without.statements
  const against = `on ${name}, against no rules`
  return [
    {
      row,
      name: `whole life ${against}`,
      value: `${perSecondOf(on.perSecond)} messages, ${ratio.toFixed(3)} of ${perSecondOf(without.perSecond)}`,
      us: on.us,
      bar: { kind: 'holds', holds: ratio >= least, summary: `≥ ${least} of the life without rules` },
    },
    {
      row,
      name: `processor time of a message ${against}`,
      value: `${usOf(on.us)}, ${(on.us / without.us).toFixed(3)} of ${usOf(without.us)}`,
    },
    {
      row,
      name: `statements of a message ${against}`,
      value: `${on.statements.toFixed(2)}, and ${without.statements.toFixed(2)}`,
      bar: {
        kind: 'holds',
        holds: moreStatements <= maxMoreStatements,
        summary: `≤ ${maxMoreStatements} more`,
      },
    },
  ]
}

import type { BenchRun } from './bench-run.ts'
import { type Figure, median, perSecondOf } from './figure.ts'
import { live } from './life-rows.ts'
import { hundred } from './load-job.ts'
import { type ServedBench, withServer } from './server-process.ts'

const row = 19
/** Rounds in turns: the machine changes more between minutes than ways cost. */
const turns = 3
/** Each gets the account three more simulators, so that all have the same four devices. */
const moreDevices = 3
const longestLoadMs = 180_000

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
}

const withDevices = <T>(use: (served: Served) => Promise<T>): Promise<T> =>
  withServer({ settings: ['delay_ms=0'] }, async (served) => {
    const { folder, account } = served
    for (let i = 0; i < moreDevices; i++)
      await folder.cli('device', 'add', 'simulator', '--account', account.accountId, '--name', `S${i}`, '--set', 'delay_ms=0') // prettier-ignore
    const rows = await folder.query(`select id from devices where account_id = '${account.accountId}'`)
    return use({ ...served, devices: rows.map(({ id }) => id as string) })
  })

const addRule = ({ folder, devices }: Served, { name, wayOf }: Compared): Promise<unknown> =>
  folder.cli('route', 'add', '--name', name, '--way', wayOf(devices))

async function compareLives(run: BenchRun, servers: readonly Served[]): Promise<Figure[]> {
  const names = ['no rules', ...compared.map(({ name }) => name)]
  const rates = servers.map((): number[] => [])
  for (let turn = 0; turn <= turns; turn++)
    for (const [i, served] of servers.entries()) {
      const limits = { measureMs: longestLoadMs, maxRequests: run.lengths.lives.hundred }
      const { perSecond } = await live(run, { name: `whole life, ${names[i]}`, shape: hundred }, { served, limits }) // prettier-ignore
      // The first turn warms up.
      if (turn > 0) rates[i]?.push(perSecond)
    }
  const [without = 0, ...others] = rates.map(median)
  return compared.map(({ name, least }, i) => {
    const ratio = (others[i] ?? 0) / without
    return {
      row,
      name: `whole life on ${name}, against no rules`,
      value: `${perSecondOf(others[i] ?? 0)} messages, ${ratio.toFixed(3)} of ${perSecondOf(without)}`,
      bar: { kind: 'holds', holds: ratio >= least, summary: `≥ ${least} of the life without rules` },
    }
  })
}

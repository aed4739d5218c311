import type { BenchRun } from './bench-run.ts'
import type { Figure } from './figure.ts'
import { live } from './life-rows.ts'
import { hundred, one, type RequestShape } from './load-job.ts'
import { withServer } from './server-process.ts'
import { createStatementCounter } from './statement-counter.ts'

const longestLoadMs = 60_000

interface Counted {
  name: string
  /** Of the simulator. */
  setting: string
  shape: RequestShape
  requests: number
  /** A message: some per cent above what November 2026 counted, since how many sends share a unit varies. */
  most: number
}

const counted: readonly Counted[] = [
  { name: 'accept, one recipient', setting: 'offline=true', shape: one, requests: 10_000, most: 2.8 },
  {
    name: 'accept, 100 recipients a request',
    setting: 'offline=true',
    shape: hundred,
    requests: 200,
    most: 2.2,
  },
  { name: 'whole life, one recipient', setting: 'delay_ms=0', shape: one, requests: 10_000, most: 14.5 },
  {
    name: 'whole life, 100 recipients a request',
    setting: 'delay_ms=0',
    shape: hundred,
    requests: 200,
    most: 14.5,
  },
]

/** Row 21: how many statements a message costs, a count that other work on the machine does not change. */
export async function measureStatements(run: BenchRun): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const each of counted) {
    const perMessage = await count(run, each)
    figures.push({
      row: 21,
      name: `statements of ${each.name}`,
      value: `${perMessage.toFixed(2)} a message`,
      bar: { kind: 'most', most: each.most, is: perMessage, unit: '' },
    })
  }
  return figures
}

async function count(run: BenchRun, { name, setting, shape, requests }: Counted): Promise<number> {
  const counter = await createStatementCounter()
  try {
    const start = { settings: [setting], nodeOptions: counter.nodeOptions }
    return await withServer(start, async (served) => {
      const limits = { measureMs: longestLoadMs, maxRequests: requests }
      const isAccept = setting === 'offline=true'
      const before = await counter.count()
      const { messages } = isAccept
        ? await run.load(name, { server: served.server, token: served.account.liveKey, shape, warmUpMs: 0, ...limits }) // prettier-ignore
        : await live(run, { name, shape }, { served, limits })
      return ((await counter.count()) - before) / messages
    })
  } finally {
    await counter.remove()
  }
}

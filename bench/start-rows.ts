import { setTimeout as sleep } from 'node:timers/promises'
import { withAccepting } from './accept-rows.ts'
import type { BenchRun } from './bench-run.ts'
import { type Figure, median, perSecondOf } from './figure.ts'
import { hundred } from './load-job.ts'
import { residentMegabytes, watchMemory } from './process-usage.ts'
import { makeFolder, startServer } from './server-process.ts'

const megabytes = (value: number): string => `${Math.round(value)} MB`
/** After a start the garbage of loading is still there; two seconds later it is not. */
const restMs = 2_000
const longestFillMs = 300_000

/** Row 7: how long a start takes, and how much memory is resident then and with a million messages waiting. */
export async function measureStarts(run: BenchRun): Promise<Figure[]> {
  return [...(await measureFreshStarts(run)), ...(await measureQueued(run))]
}

async function measureFreshStarts(run: BenchRun): Promise<Figure[]> {
  const first: number[] = []
  const again: number[] = []
  const memory: number[] = []
  for (let i = 0; i < run.lengths.starts; i++) {
    const folder = await makeFolder()
    for (const readyAfter of [first, again]) {
      const server = await startServer(folder)
      readyAfter.push(server.readyAfterMs)
      await sleep(restMs)
      memory.push(residentMegabytes(server.pid))
      await server.stop()
    }
    await folder.remove()
    run.say(
      `start ${i + 1}: ready after ${Math.round(first[i] ?? 0)} ms on no database, ${Math.round(again[i] ?? 0)} ms on one; ${megabytes(memory.at(-1) ?? 0)}`,
    )
  }
  const spread = (values: readonly number[]): string =>
    `${Math.round(median(values))} ms (${Math.round(Math.min(...values))} to ${Math.round(Math.max(...values))})`
  return [
    { row: 7, name: 'spawn → ready, no database yet', value: spread(first), bar: { kind: 'most', most: 1_000, is: median(first), unit: 'ms' } },
    { row: 7, name: 'spawn → ready, again', value: spread(again), bar: { kind: 'most', most: 1_000, is: median(again), unit: 'ms' } },
    { row: 7, name: 'memory after the start', value: megabytes(median(memory)), bar: { kind: 'most', most: 150, is: median(memory), unit: 'MB' } },
  ] // prettier-ignore
}

const measureQueued = (run: BenchRun): Promise<Figure[]> =>
  withAccepting(async ({ server, account }) => {
    const { queuedMessages } = run.lengths
    const memory = watchMemory(server.pid)
    const filled = await run.load(`filling the queue with ${queuedMessages.toLocaleString('en')} messages`, {
      server,
      token: account.liveKey,
      shape: hundred,
      warmUpMs: 0,
      measureMs: longestFillMs,
      maxRequests: queuedMessages / 100,
    })
    if (filled.messages < queuedMessages)
      throw new Error(`Only ${filled.messages} messages could be queued in time.`)
    await sleep(restMs)
    const samples = memory.stop()
    const resident = samples.at(-1) ?? 0
    return [
      {
        row: 7,
        name: `memory with ${queuedMessages.toLocaleString('en')} messages queued`,
        value: `${megabytes(resident)}, ${megabytes(Math.max(...samples))} at most while they came (${perSecondOf(filled.perSecond * 100)})`,
        bar: { kind: 'most', most: 300, is: resident, unit: 'MB' },
      },
    ]
  })

import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchRun } from './bench-run.ts'
import { type Figure, median, perSecondOf } from './figure.ts'
import { hundred, one, type RequestShape } from './load-job.ts'
import { wideLink, withBenchSmsc } from './smpp-link.ts'
import type { ProfileName } from './profile/profile-names.ts'
import { sayProcessorUse, watchMemory, watchProcessor } from './process-usage.ts'
import { type BenchFolder, type ServedBench, withServer } from './server-process.ts'

const longestLoadMs = 180_000
const settleTimeoutMs = 300_000

export interface Lives {
  row: number
  name: string
  shape: RequestShape
  requests: number
  profile?: ProfileName
  /** The settings of the simulator of the account. */
  settings: readonly string[]
  databaseUrl?: string
  /** Adds what else the account needs. */
  prepare?: (served: ServedBench) => Promise<void>
}

/** Row 4: a message's whole life through the simulator, which receipts at once: accepted, handed over, sent, delivered, charged. */
export async function measureLife(run: BenchRun): Promise<Figure[]> {
  const { lives } = run.lengths
  const single: Lives = {
    row: 4,
    settings: ['delay_ms=0'],
    name: 'whole life, one recipient',
    shape: one,
    requests: lives.one,
    profile: 'life',
  }
  const many: Lives = {
    row: 4,
    settings: ['delay_ms=0'],
    name: 'whole life, 100 recipients a request',
    shape: hundred,
    requests: lives.hundred,
    profile: 'life-many',
  }
  return [...(await measureLives(run, single)), ...(await measureLives(run, many))]
}

/** Row 9: the same through an SMSC of our own codec, in another process: a link of four sessions with a window of 100. */
export const measureLifeOverSmpp = (run: BenchRun): Promise<Figure[]> =>
  withBenchSmsc(wideLink, async (prepare) => {
    const { lives } = run.lengths
    const common = { row: 9, settings: ['offline=true'], prepare }
    const single: Lives = {
      ...common,
      name: 'whole life over SMPP, one recipient',
      shape: one,
      requests: lives.one,
      profile: 'smpp-life',
    }
    const many: Lives = {
      ...common,
      name: 'whole life over SMPP, 100 recipients a request',
      shape: hundred,
      requests: lives.hundred,
      profile: 'smpp-life-many',
    }
    return [...(await measureLives(run, single)), ...(await measureLives(run, many))]
  })

export const measureLives = (run: BenchRun, lives: Lives): Promise<Figure[]> =>
  withServer({ settings: lives.settings, databaseUrl: lives.databaseUrl }, async (served) => {
    const { row, name, profile } = lives
    await lives.prepare?.(served)
    const warm = await live(
      run,
      { ...lives, name: `${name}, warm-up` },
      { served, limits: { measureMs: run.lengths.warmUpMs } },
    )
    const memory = watchMemory(served.server.pid)
    const limits = { measureMs: longestLoadMs, maxRequests: lives.requests }
    const { messages, perSecond, facts, us } = await live(run, lives, { served, limits })
    const samples = memory.stop()
    const sent = warm.messages + messages
    return [
      {
        row,
        name,
        value: `${perSecondOf(perSecond)} messages`,
        perSecond,
        us,
        facts,
        ...(profile === undefined ? {} : { profile }),
      },
      memoryFigure(row, name, samples),
      await exactnessFigure(row, name, { ...served, sent }),
    ]
  })

export interface Lived {
  perSecond: number
  messages: number
  facts: string
  /** Processor time of the server for each message, in microseconds. */
  us: number
}

/** Sends, waits until everything is final, and counts from the first acceptance to the last final state. */
export async function live(
  run: BenchRun,
  { name, shape }: Pick<Lives, 'name' | 'shape'>,
  { served, limits }: { served: ServedBench; limits: { measureMs: number; maxRequests?: number } },
): Promise<Lived> {
  const { server, account, folder } = served
  const fromMs = Date.now()
  const watched = watchProcessor(server.pid)
  const { messages } = await run.load(name, {
    server,
    token: account.liveKey,
    shape,
    warmUpMs: 0,
    ...limits,
  })
  await waitUntilFinal(folder)
  const use = watched.stop()
  const us = (use.totalMs * 1000) / messages
  const facts = `${sayProcessorUse(use)}; ${us.toFixed(0)} µs of the server for each message`
  const [row] = await folder.query(
    `select count(*) as final, min(created_at) as first, max(finalized_at) as last from messages where created_at >= ${fromMs} and finalized_at is not null`,
  )
  const perSecond = (Number(row?.['final']) * 1000) / (Number(row?.['last']) - Number(row?.['first']))
  run.say(`${name}: ${perSecondOf(perSecond)} to the last final state, ${messages} messages; ${facts}`)
  return { perSecond, messages, facts, us }
}

/** To look costs PostgreSQL some 7 ms while much is under way: each 50 ms, that was a tenth of its work. Rates come from times of the messages. */
const lookEachMs = 250

/** Nothing waits, is being handed over, or has a receipt to come. */
export async function waitUntilFinal(folder: BenchFolder): Promise<void> {
  for (
    const deadline = performance.now() + settleTimeoutMs;
    performance.now() < deadline;
    await sleep(lookEachMs)
  ) {
    const [row] = await folder.query(
      'select case when exists (select 1 from queue) or exists (select 1 from attempts where ended_at is null) or exists (select 1 from receipts_expected where closed_at is null) then 1 else 0 end as is_open',
    )
    if (row?.['is_open'] === 0) return
  }
  throw new Error('Some messages did not become final in time.')
}

/** Flat: the last fifth of the samples is no more than a tenth above the second fifth (the first still warms up). */
function memoryFigure(row: number, name: string, samples: readonly number[]): Figure {
  const fifth = Math.max(1, Math.floor(samples.length / 5))
  const early = median(samples.slice(fifth, 2 * fifth))
  const late = median(samples.slice(-fifth))
  const [first = 0] = samples
  const megabytes = (value: number): string => `${Math.round(value)} MB`
  return {
    row,
    name: `memory during ${name}`,
    value: `${megabytes(first)} at first, ${megabytes(early)} early, ${megabytes(late)} late`,
    bar: { kind: 'holds', holds: late <= early * 1.1, summary: 'late ≤ 1.1 × early' },
    facts: `${megabytes(Math.max(...samples))} at most`,
  }
}

/** Every message asked for is delivered and charged once, and the doctor finds nothing. */
async function exactnessFigure(
  row: number,
  name: string,
  { folder, account, sent }: ServedBench & { sent: number },
): Promise<Figure> {
  const { ok } = await folder.cli('doctor')
  const [counts] = await folder.query(
    `select count(*) as stored, sum(case when status = 'delivered' and charged = 1 and attempts = 1 then 1 else 0 end) as exact,
      (select used from wallets where account_id = '${account.accountId}' and mode = 'live') as used from messages
     where account_id = '${account.accountId}'`,
  )
  const [stored, exact, used] = [counts?.['stored'], counts?.['exact'], counts?.['used']].map(Number)
  return {
    row,
    name: `exactness of ${name}`,
    value: `${sent} sent, ${stored} stored, ${exact} delivered and charged once, ${used} used; doctor ${ok === true ? 'ok' : 'NOT ok'}`,
    bar: {
      kind: 'holds',
      holds: ok === true && [stored, exact, used].every((count) => count === sent),
      summary: 'equal, doctor ok',
    },
  }
}

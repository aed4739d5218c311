import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchRun, hundred, one } from './bench-run.ts'
import { type Figure, median, perSecondOf } from './figure.ts'
import type { RequestShape } from './load-job.ts'
import { watchMemory } from './process-usage.ts'
import { type BenchFolder, databaseOf, withServer } from './server-process.ts'

const settleTimeoutMs = 120_000

/** Row 4: a message's whole life through the simulator, which receipts at once: accepted, handed over, sent, delivered, charged. */
export async function measureLife(run: BenchRun): Promise<Figure[]> {
  const single = await measureLives(run, { name: 'whole life, one recipient', shape: one, least: 0.25 })
  const many = await measureLives(run, {
    name: 'whole life, 100 recipients a request',
    shape: hundred,
    least: 0.7,
  })
  return [...single, ...many]
}

interface Lives {
  name: string
  shape: RequestShape
  least: number
}

const measureLives = (run: BenchRun, { name, shape, least }: Lives): Promise<Figure[]> =>
  withServer(
    { settings: ['delay_ms=0'], nodeOptions: run.nodeOptions },
    async ({ folder, account, server }) => {
      const target = { server, token: account.liveKey, shape, warmUpMs: 0 }
      await run.load(`${name}, warm-up`, { ...target, measureMs: run.lengths.warmUpMs })
      await waitUntilFinal(folder)
      const warm = readLives(folder, 0)
      const memory = watchMemory(server.pid)
      const result = await run.load(name, { ...target, measureMs: run.lengths.measureMs * 2 })
      await waitUntilFinal(folder)
      const samples = memory.stop()
      const lives = readLives(folder, warm.lastFinalAt)
      const perSecond = (lives.final * 1000) / (lives.lastFinalAt - lives.firstAcceptedAt)
      run.say(`${name}: ${perSecondOf(perSecond)} to the last final state, ${lives.final} messages`)
      const throughput: Figure = {
        row: 4,
        name,
        value: `${perSecondOf(perSecond)} messages`,
        perSecond,
        bar: { kind: 'of-n', least },
        facts: result.facts,
      }
      const sent = warm.final + result.messages
      return [
        throughput,
        memoryFigure(name, samples),
        await exactnessFigure(name, { folder, account: account.accountId, sent }),
      ]
    },
  )

/** Nothing waits, is being handed over, or has a receipt to come. */
async function waitUntilFinal(folder: BenchFolder): Promise<void> {
  const database = openReadOnly(folder)
  const open = database.prepare(
    'select exists (select 1 from queue) or exists (select 1 from receipts_expected where closed_at is null) as is_open',
  )
  try {
    for (
      const deadline = performance.now() + settleTimeoutMs;
      performance.now() < deadline;
      await sleep(50)
    ) {
      if (open.get()?.['is_open'] === 0) return
    }
    throw new Error('Some messages did not become final in time.')
  } finally {
    database.close()
  }
}

interface StoredLives {
  final: number
  firstAcceptedAt: number
  lastFinalAt: number
}

/** Counts what was accepted after `after`, from what is stored. */
function readLives(folder: BenchFolder, after: number): StoredLives {
  const database = openReadOnly(folder)
  const row = database
    .prepare(`select count(*) as final, min(created_at) as first, max(finalized_at) as last
    from messages where created_at > ? and finalized_at is not null`)
    .get(after)
  database.close()
  return {
    final: Number(row?.['final']),
    firstAcceptedAt: Number(row?.['first']),
    lastFinalAt: Number(row?.['last']),
  }
}

const openReadOnly = (folder: BenchFolder): DatabaseSync =>
  new DatabaseSync(databaseOf(folder), { readOnly: true, timeout: 5_000 })

/** Flat: the last fifth of the samples is no more than a tenth above the second fifth (the first still warms up). */
function memoryFigure(name: string, samples: readonly number[]): Figure {
  const fifth = Math.max(1, Math.floor(samples.length / 5))
  const early = median(samples.slice(fifth, 2 * fifth))
  const late = median(samples.slice(-fifth))
  const megabytes = (value: number): string => `${Math.round(value)} MB`
  return {
    row: 4,
    name: `memory during ${name}`,
    value: `${megabytes(samples[0] ?? 0)} at first, ${megabytes(early)} early, ${megabytes(late)} late, ${megabytes(Math.max(...samples))} at most`,
    bar: { kind: 'holds', holds: late <= early * 1.1, says: 'late ≤ 1.1 × early' },
  }
}

/** Every message asked for is delivered and charged once, and the doctor finds nothing. */
async function exactnessFigure(
  name: string,
  asked: { folder: BenchFolder; account: string; sent: number },
): Promise<Figure> {
  const { ok } = await asked.folder.cli('doctor')
  const database = openReadOnly(asked.folder)
  const counts = database
    .prepare(`select count(*) as stored, sum(status = 'delivered' and charged = 1 and attempts = 1) as exact,
    (select used from wallets where account_id = messages.account_id and mode = 'live') as used from messages where account_id = ?`)
    .get(asked.account)
  database.close()
  const numbers = [counts?.['stored'], counts?.['exact'], counts?.['used']].map(Number)
  return {
    row: 4,
    name: `exactness after ${name}`,
    value: `${asked.sent} asked for, ${numbers[0]} stored, ${numbers[1]} delivered and charged once, ${numbers[2]} used; doctor ${ok === true ? 'ok' : 'NOT ok'}`,
    bar: {
      kind: 'holds',
      holds: ok === true && numbers.every((count) => count === asked.sent),
      says: 'all equal, doctor ok',
    },
  }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { readConfig } from '../src/config.ts'
import { routeKeyOf } from '../src/messages/core/route-key.ts'
import type { HotUnits } from '../src/messages/units.ts'
import { createIds } from '../src/runtime/ids.ts'
import { openStorage } from '../src/storage/open/open-storage.ts'
import { insertRows } from '../src/storage/seam/sets.ts'
import type { Storage } from '../src/storage/seam/storage.ts'
import { startBenchPostgres } from './bench-postgres.ts'
import type { BenchRun } from './bench-run.ts'
import { type Figure, usOf } from './figure.ts'

const row = 22
const queued = 100_000
const priorities = 3
const page = 1_000
const blocks = 10
const looks = 100
/** Once a second for each later stage of a way: the thread of the database has this much for it. */
const mostUs = 200
const routeKey = routeKeyOf({ mode: 'live', sender: null, way: 'benchedway' })
const unitsModule = new URL('../src/messages/units.ts', import.meta.url)

/** Row 22: a look for messages that have waited long enough (`after` of a way) among 100,000 that have not, on both databases. */
export async function measureWaited(run: BenchRun): Promise<Figure[]> {
  run.say('row 22: a look for what has waited, the embedded database')
  const embedded = await inFolder((folder) => look({ ONESIXTY_DATA: folder }))
  run.say('row 22: the same on PostgreSQL')
  const server = await startBenchPostgres()
  try {
    const shared = await inFolder((folder) =>
      look({ ONESIXTY_DATA: folder, DATABASE_URL: server.url, ONESIXTY_NODE: 'bench' }),
    )
    const name = `a look for messages that have waited, beside ${queued.toLocaleString('en')} that have not`
    return [
      figureOf(`${name}, above one on an empty route`, embedded.us - embedded.emptyUs, embedded),
      figureOf(
        `${name}, above one on an empty route, on PostgreSQL`,
        shared.wallUs - shared.emptyWallUs,
        shared,
      ),
    ]
  } finally {
    await server.stop()
  }
}

/** Of a look: processor time of this process, in which the embedded database runs, and time until its answer; and of one on a route that has nothing. */
interface Looked {
  us: number
  emptyUs: number
  wallUs: number
  emptyWallUs: number
}

const figureOf = (name: string, is: number, { us, wallUs, emptyWallUs }: Looked): Figure => ({
  row,
  name,
  value: `${usOf(is)}; ${usOf(wallUs)} until its answer, and ${usOf(emptyWallUs)}`,
  us,
  bar: { kind: 'most', most: mostUs, is: Math.round(is), unit: 'µs' },
})

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-waited-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function look(settings: Record<string, string>): Promise<Looked> {
  const nowMs = Date.now()
  const storage = await openStorage<HotUnits>(readConfig(settings), { unitsModule, maxMergedWeight: 2_000 }, nowMs) // prettier-ignore
  try {
    await fill(storage, nowMs)
    return await inTurns(storage, nowMs)
  } finally {
    await storage.close()
  }
}

/** Queues messages of all priorities, all due since a minute. */
async function fill({ writer }: Storage<HotUnits>, nowMs: number): Promise<void> {
  const ids = createIds({ now: () => nowMs })
  for (let from = 0; from < queued; from += page) {
    const rows = Array.from({ length: page }, (_, i) => ({
      account_id: 'acc_bench', mode: 'live' as const, message_id: ids('msg'), route_key: routeKey, priority: (from + i) % priorities,
      due_at: nowMs - 60_000, parts: 1, expires_at: nowMs + 86_400_000, refusals: 0, restore_hold: 0 as const,
    })) // prettier-ignore
    await writer.write((tx) => insertRows(tx, 'queue', rows))
  }
  await writer.write((tx) => sql`analyze`.execute(tx))
}

/** Claims as the dispatcher does; without `waitedMs` on a route that has nothing. */
async function claimOf({ runUnit }: Storage<HotUnits>, nowMs: number, waitedMs?: number): Promise<void> {
  const request = {
    accountId: 'acc_bench', mode: 'live' as const, routeKey: waitedMs === undefined ? 'live:' : routeKey, deviceId: 'dev_bench', quota: 10, partsOver: 0,
    partsUpTo: 10, ...(waitedMs !== undefined && { waitedMs, why: 'waited' }),
  } // prettier-ignore
  const { found } = await runUnit('claim', { requests: [request], nowMs, dueMs: nowMs, fence: 1, known: 0 })
  if (found[0] !== 0) throw new Error('The bench found messages that had not waited so long.')
}

/** Each in turns with the other: blocks of looks, of which the processor time of this process counts, which other work on the machine changes least. */
async function inTurns(storage: Storage<HotUnits>, nowMs: number): Promise<Looked> {
  const looked = { us: 0, emptyUs: 0, wallUs: 0, emptyWallUs: 0 }
  for (let block = -1; block < blocks; block++) {
    const waited = await costOf(() => claimOf(storage, nowMs, 300_000))
    const empty = await costOf(() => claimOf(storage, nowMs))
    // The first one warms up.
    if (block < 0) continue
    looked.us += waited.us / blocks
    looked.emptyUs += empty.us / blocks
    looked.wallUs += waited.wallUs / blocks
    looked.emptyWallUs += empty.wallUs / blocks
  }
  return looked
}

async function costOf(once: () => Promise<unknown>): Promise<{ us: number; wallUs: number }> {
  const before = process.cpuUsage()
  const beganMs = performance.now()
  for (let i = 0; i < looks; i++) await once()
  const { user, system } = process.cpuUsage(before)
  return { us: (user + system) / looks, wallUs: ((performance.now() - beganMs) * 1_000) / looks }
}

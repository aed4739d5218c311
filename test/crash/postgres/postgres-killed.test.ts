import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { type PostgresServer, startPostgres } from '../../postgres-server.ts'
import { type CrashHouse, expectNothingLostNorDoubled, openCrashHouse } from '../crash-house.ts'
import { sizeOf } from '../../proof-sizes.ts'

const kills = sizeOf('POSTGRES_KILLS')
const perSecond = 100
const window = 10
/** Back at once, or so late that whoever waits for it is not told in time. */
const awayMs = [1_000, 3_000]

let postgres: PostgresServer
let house: CrashHouse
beforeAll(async () => {
  postgres = await startPostgres()
  house = await openCrashHouse(
    { window: String(window), submit_delay_ms: '20', delay_ms: '400' },
    { postgresUrl: postgres.url },
  )
})
afterAll(async () => {
  await house?.close()
  await postgres?.stop()
})

test('PostgreSQL killed under load again and again: who asks is told so within 2 s, it is back within 5 s, and nothing is lost or doubled', async () => {
  const load = house.load({ perSecond, isPatient: true })
  const refusals = (): number => load.ended.filter(({ told }) => told === 503).length
  /** Of each request that was open while PostgreSQL was away, and until it takes writes again. */
  const waits: number[] = []
  for (let kill = 0; kill < kills; kill++) {
    load.resume()
    await through(() => load.accepted.size, 150 + 50 * (kill % 3))
    const awayFromMs = performance.now()
    await postgres.kill()
    const refused = refusals()
    await through(() => refusals() - refused, 1, awayMs[kill % awayMs.length])
    await postgres.restart()
    const backMs = performance.now()
    const before = load.accepted.size
    await through(() => load.accepted.size - before, 20)
    expect(performance.now() - backMs, 'accepting again within 5 s of its return').toBeLessThan(5_000)
    const awayToMs = performance.now()
    await load.pause()
    const met = load.ended.filter(
      ({ askedMs, afterMs }) => askedMs < awayToMs && askedMs + afterMs > awayFromMs,
    )
    waits.push(...met.map(({ afterMs }) => afterMs))
    await load.repeatUnanswered()
  }
  await load.repeatUnanswered()
  expect(load.unanswered.size).toBe(0)
  expect(load.refused).toEqual([])
  expect(Math.max(...waits), 'told so within 2 s').toBeLessThan(2_000)
  // An end for what hangs: while PostgreSQL is away nothing is handed over, and what waits grows with each kill.
  await house.drained(60_000 + 10_000 * kills)
  const messages = await expectNothingLostNorDoubled(house, [load])
  const ends = Map.groupBy(messages, ({ status }) => status)
  expect([...ends.keys()].toSorted().filter((status) => status !== 'unconfirmed')).toEqual(['delivered'])
  // What was at the device when its outcome could not be stored is kept and stored later: no outcome is lost with the database.
  expect(ends.get('unconfirmed')?.length ?? 0, 'outcomes that were lost with the database').toBe(0)
})

/** Waits until so many came, and at least so long. */
async function through(count: () => number, least: number, minMs = 0): Promise<void> {
  const untilMs = performance.now() + minMs
  await eventually(
    () => ({ enough: count() >= least, over: performance.now() >= untilMs }),
    (seen) => expect(seen).toEqual({ enough: true, over: true }),
    20_000,
  )
}

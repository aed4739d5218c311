import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { hasCommands } from '../../peers/foreign-tools.ts'
import { type PatroniCluster, startPatroniCluster } from './patroni-cluster.ts'
import { sizeOf } from '../../proof-sizes.ts'
import { type CrashHouse, expectNothingLostNorDoubled, openCrashHouse } from '../crash-house.ts'
import type { FinishedRequest, Load } from '../load.ts'

const isThere = hasCommands('etcd', 'patroni', 'haproxy')
const perSecond = 40

let cluster: PatroniCluster
let house: CrashHouse
beforeAll(async () => {
  if (!isThere) return
  cluster = await startPatroniCluster()
  house = await openCrashHouse(
    { window: '10', submit_delay_ms: '20', delay_ms: '400' },
    { postgresUrl: cluster.url },
  )
})
afterAll(async () => {
  await house?.close()
  await cluster?.stop()
})

test.skipIf(!isThere)(
  'the machine of the primary is lost, or its operator moves it: who asks is told so, what was accepted goes once, and nothing is held',
  async () => {
    const load = house.load({ perSecond, isPatient: true })
    for (let round = 0; round < sizeOf('FAILOVERS'); round++) {
      const isLost = round % 2 === 0
      load.resume()
      await accepted(load.accepted, 100)
      const before = load.ended.length
      const primary = await cluster.primary()
      if (isLost) await cluster.kill(primary)
      else expect(await cluster.switchOver()).not.toBe(primary)
      await eventually(
        () => load.ended.slice(before).some(({ told }) => told === 503),
        (wasAway) => expect(wasAway).toBe(true),
        20_000,
      )
      await accepted(load.accepted, 100)
      await load.pause()
      const met = load.ended.slice(before)
      const waitsOf = (which: FinishedRequest[]): number => Math.max(...which.map(({ afterMs }) => afterMs))
      // Within 2 s, as docs/scaling.md has it, and as long again on a machine that does other work.
      expect(waitsOf(met.filter(({ told }) => told === 503)), 'told so within 4 s').toBeLessThan(4_000)
      // What the new primary has taken waits until it is on a second member, or its time is over.
      expect(waitsOf(met), 'any answer').toBeLessThan(12_000)
      await load.repeatUnanswered()
      if (isLost) await cluster.start(primary)
      else await cluster.whole()
    }
    await load.repeatUnanswered()
    expect(load.unanswered.size).toBe(0)
    expect(load.refused).toEqual([])
    expect(house.server.output(), 'nothing is held').not.toContain('messages are held')
    await house.drained(60_000)
    const messages = await expectNothingLostNorDoubled(house, [load])
    expect([...new Set(messages.map(({ status }) => status))]).toEqual(['delivered'])
  },
)

/** Waits until so many more were accepted. */
async function accepted(all: Load['accepted'], more: number): Promise<void> {
  const least = all.size + more
  await eventually(
    () => all.size,
    (size) => expect(size).toBeGreaterThanOrEqual(least),
    60_000,
  )
}

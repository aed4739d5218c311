import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { endAfter } from '../proof-sizes.ts'
import { testTimes } from '../quick-times.ts'
import { type CrashHouse, expectNothingLostNorDoubled, openCrashHouse } from './crash-house.ts'
import { canMoveClocks, openWallClock } from './wall-clock.ts'

const dayMs = 86_400_000
/** The longest that there is: what waits at a jump of less must not expire by it. */
const validitySeconds = 259_200
const jumpMs = validitySeconds * 1_000 - 600_000
/** At least one renewal of each lease falls within. */
const stayMs = testTimes.leaseRenewalMs + 1_000
const longestPauseMs = 5_000

describe.skipIf(!canMoveClocks)('a wall clock that jumps by three days while a load runs', () => {
  test(
    'ends no lease and no wait: nothing is lost, goes early, late or twice, or is unknown, and what is due by its new time goes',
    { timeout: endAfter(240_000) },
    async () => {
      const clock = await openWallClock()
      const house = await openCrashHouse(
        { window: '20', delay_ms: '400' },
        { env: clock.env, times: testTimes },
      )
      try {
        const leases = leasesOf(house)
        const load = house.load({ perSecond: 100, validitySeconds })
        const submitted = (): number => house.peer.records().length
        /** For so long the load gets through, at a fifth of its pace at least. */
        const goesOnFor = async (ms: number): Promise<void> => {
          const [before, untilMs] = [submitted(), performance.now() + ms]
          await eventually(
            () => ({ isOver: performance.now() >= untilMs, goesOn: submitted() - before > ms / 50 }),
            (seen) => expect(seen).toEqual({ isOver: true, goesOn: true }),
            ms + 10_000,
          )
        }
        const startedAt = Date.now()
        load.resume()
        await goesOnFor(1_000)
        const tomorrow = await sendForTomorrow(house)
        await goesOnFor(1_000)
        expect(recipients(house).filter((to) => to === tomorrow)).toEqual([])

        clock.jumpAway(jumpMs)
        await goesOnFor(stayMs)
        expect(recipients(house).filter((to) => to === tomorrow)).toEqual([tomorrow])
        clock.jumpAway(0)
        await goesOnFor(stayMs)
        clock.jumpAway(-jumpMs)
        await goesOnFor(stayMs)
        clock.jumpAway(0)
        await goesOnFor(1_000)
        await load.pause()
        expect(load.unanswered.size).toBe(0)
        expect(load.refused).toEqual([])
        await house.drained()

        const messages = await expectNothingLostNorDoubled(house, [load])
        expect(new Set(messages.map(({ status }) => status))).toEqual(new Set(['delivered']))
        const times = messages.map(({ created_at }) => Date.parse(created_at))
        expect(Math.max(...times), 'the jump ahead was seen').toBeGreaterThan(startedAt + jumpMs)
        expect(Math.min(...times), 'the jump back was seen').toBeLessThan(Date.now() - jumpMs)
        expect(leasesOf(house), 'leases kept by who had them').toEqual(leases)
        // By the clock of the peer, which did not jump.
        const at = house.peer.records().map(({ received_at }) => received_at)
        const pauses = at.slice(1).map((ms, i) => ms - at[i]!)
        expect(Math.max(...pauses), 'no jump holds the hand-over up').toBeLessThan(longestPauseMs)
      } finally {
        await house.close()
        await clock.close()
      }
    },
  )
})

const recipients = (house: CrashHouse): string[] => house.peer.records().map(({ to }) => to)

/** Gives the number that it is for. */
async function sendForTomorrow({ client, liveKey }: CrashHouse): Promise<string> {
  const to = '+4915112345678'
  const send_at = new Date(Date.now() + dayMs).toISOString()
  const { status, body } = await client.send(liveKey, {
    to,
    text: 'Tomorrow',
    send_at,
    validity_period: validitySeconds,
  })
  expect([status, body.messages[0]?.status]).toEqual([202, 'scheduled'])
  return to
}

/** Who has which link under which token, by the word of the file. */
function leasesOf({ dataFolder }: CrashHouse): unknown[] {
  const database = new DatabaseSync(join(dataFolder, 'onesixty.db'), { readOnly: true })
  try {
    return database.prepare('select id, lease_owner, lease_token from devices order by id').all()
  } finally {
    database.close()
  }
}

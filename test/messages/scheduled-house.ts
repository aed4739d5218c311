import { dayMs } from '../../src/runtime/clock.ts'
import { openTendedHouse, type TendedHouse } from './tended-house.ts'

type Janitors = ReturnType<TendedHouse['janitors']>

/** The tended house with the janitors of what is scheduled. */
export interface ScheduledHouse extends TendedHouse {
  releaser: Janitors['dueReleaser']
  expirer: Janitors['expirer']
  /** Sends for a time so long after now; it lives for a day from then. */
  later(afterMs: number, more?: object): ReturnType<TendedHouse['send']>
  /** Lets what has fallen due join the queue, and go. */
  settle(): Promise<void>
}

export async function openScheduledHouse(): Promise<ScheduledHouse> {
  const house = await openTendedHouse()
  const { dueReleaser: releaser, expirer } = house.janitors()
  return {
    ...house,
    releaser,
    expirer,
    later(afterMs, more = {}) {
      const sendAt = house.clock.now() + afterMs
      return house.send({ sendAt, expiresAt: sendAt + dayMs, ...more })
    },
    async settle() {
      await releaser.sweepAll()
      await house.dispatcher.drain()
    },
  }
}

/** Whose messages they are. */
export const owner = { accountId: 'acc_a', mode: 'live' } as const

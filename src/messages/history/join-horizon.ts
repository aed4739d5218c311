import type { Clock } from '../../runtime/clock.ts'
import type { Storage } from '../../storage/seam/storage.ts'
import type { Times } from '../../runtime/times.ts'
import { aloneSince, raiseHistoryFloor } from '../core/history-floor.ts'
import { WriteHorizon } from './history-horizon.ts'

/** Creates the horizon of a node that has just joined the others. */
export async function joinHorizon(
  { read, writer }: Pick<Storage, 'read' | 'writer'>,
  { now, monotonicMs }: Clock,
  { isAlone, epoch }: { isAlone: boolean; epoch: number },
  times: Pick<Times, 'silenceMs'>,
): Promise<WriteHorizon> {
  if (isAlone) return new WriteHorizon({ now })
  const raise = (toMs: number): Promise<number> => writer.write((tx) => raiseHistoryFloor(tx, toMs))
  // A node that ran alone returned pages without a shared floor. None of them is beyond this instant, from
  // which all nodes see this one.
  await raise(Number.MAX_SAFE_INTEGER)
  return new WriteHorizon({
    now,
    shared: { monotonicMs, aloneSince: () => aloneSince(read, epoch, times), raise },
  })
}

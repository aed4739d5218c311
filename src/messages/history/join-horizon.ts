import type { Clock } from '../../runtime/clock.ts'
import type { Storage } from '../../storage/seam/storage.ts'
import type { Times } from '../../runtime/times.ts'
import { aloneSince, raiseHistoryFloor } from '../core/history-floor.ts'
import { WriteHorizon } from './history-horizon.ts'

/** The horizon of a node, which has joined the others by now. */
export async function joinHorizon(
  { read, writer }: Pick<Storage, 'read' | 'writer'>,
  { now, monotonicMs }: Clock,
  { isAlone, epoch }: { isAlone: boolean; epoch: number },
  times: Pick<Times, 'silenceMs'>,
): Promise<WriteHorizon> {
  if (isAlone) return new WriteHorizon({ now })
  const raise = (toMs: number): Promise<number> => writer.write((tx) => raiseHistoryFloor(tx, toMs))
  // Who was alone gave out pages without asking anybody: none of them beyond this instant, at which all can see that this node is here.
  await raise(Number.MAX_SAFE_INTEGER)
  return new WriteHorizon({
    now,
    shared: { monotonicMs, aloneSince: () => aloneSince(read, epoch, times), raise },
  })
}

import type { GuideFacts } from '../../../../src/devices/phones/connect-guide.ts'
import type { ReachInvitation } from '../../../../src/api/console/devices/reach-calls.ts'
import { useCall } from '../../api/use-call.ts'

/** Soon enough for a tick that a user waits for with the phone in hand; each look is one short read. */
const lookEveryMs = 2_000

/** Returns the phone that opened the link of a check, live while `isAwaited`. Who opens it is no change of the account. */
export function useReached(reach: ReachInvitation | null, isAwaited: boolean): GuideFacts['reached'] {
  const { data } = useCall(
    'devices/reach-progress',
    { nonce: reach?.nonce ?? '' },
    { enabled: reach !== null && isAwaited, everyMs: lookEveryMs },
  )
  const reached = reach === null ? null : (data?.reached ?? null)
  return reached === null ? null : { from: reached.from, way: reached.way }
}

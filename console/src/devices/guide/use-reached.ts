import { useState } from 'react'
import type { GuideFacts } from '../../../../src/devices/phones/connect-guide.ts'
import type { ReachInvitation } from '../../../../src/api/console/devices/reach-calls.ts'
import { useCall } from '../../api/use-call.ts'

/** Soon enough for a tick that a user waits for with the phone in hand; each look is one short read. */
const lookEveryMs = 1_000

/**
 * Returns the phone that opened the link of a check, live while `isAwaited` and until one did. Who opens it is no change of
 * the account, so that the live stream has no event of it.
 */
export function useReached(reach: ReachInvitation | null, isAwaited: boolean): GuideFacts['reached'] {
  const [doneNonce, setDoneNonce] = useState<string | null>(null)
  const nonce = reach?.nonce ?? null
  const isOpen = nonce !== null && isAwaited && nonce !== doneNonce
  const { data } = useCall(
    'devices/reach-progress',
    { nonce: nonce ?? '' },
    { enabled: isOpen, everyMs: lookEveryMs },
  )
  const reached = nonce === null ? null : (data?.reached ?? null)
  if (reached !== null && nonce !== doneNonce) setDoneNonce(nonce)
  return reached === null ? null : { from: reached.from, way: reached.way }
}

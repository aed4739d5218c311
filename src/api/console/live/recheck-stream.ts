import type { Clock } from '../../../runtime/clock.ts'
import { Refusal } from '../../../runtime/errors.ts'

/** After a sign-out, or a removal from an account, a user sees changes for at most this time. */
const recheckMs = 30_000

/** The part of a stream that is needed to end it. */
interface EndedStream {
  end(): unknown
  once(event: 'close', listener: () => void): unknown
}

/**
 * Calls `checkAccess` repeatedly while a stream is open, and ends the stream when it refuses: access was
 * checked only when it was opened, and streams stay open for days. Any other error decides nothing.
 */
export function recheckStream(
  { clock, failed }: { clock: Pick<Clock, 'schedule'>; failed(error: unknown): void },
  stream: EndedStream,
  checkAccess: () => Promise<unknown>,
): void {
  let isOpen = true
  let cancel = (): void => undefined
  const recheck = async (): Promise<void> => {
    try {
      await checkAccess()
    } catch (error) {
      if (error instanceof Refusal) {
        stream.end()
        return
      }
      failed(error)
    }
    if (isOpen) wait()
  }
  const wait = (): void => {
    cancel = clock.schedule(recheckMs, () => void recheck())
  }
  stream.once('close', () => {
    isOpen = false
    cancel()
  })
  wait()
}

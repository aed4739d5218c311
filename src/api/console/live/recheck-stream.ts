import type { Clock } from '../../../runtime/clock.ts'
import { Refusal } from '../../../runtime/errors.ts'

/** Who signs out, or is taken out of an account, sees for no longer than this what changes there. */
const recheckMs = 30_000

/** What of a stream is needed to end it. */
interface EndedStream {
  end(): unknown
  once(event: 'close', listener: () => void): unknown
}

/**
 * Asks `mayGoOn` again and again while a stream is open, and ends it when that refuses: the door was looked at when it was opened,
 * and streams stay open for days. Any other error decides nothing.
 */
export function recheckStream(
  { clock, failed }: { clock: Pick<Clock, 'schedule'>; failed(error: unknown): void },
  stream: EndedStream,
  mayGoOn: () => Promise<unknown>,
): void {
  let isOpen = true
  let cancel = (): void => undefined
  const look = async (): Promise<void> => {
    try {
      await mayGoOn()
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
    cancel = clock.schedule(recheckMs, () => void look())
  }
  stream.once('close', () => {
    isOpen = false
    cancel()
  })
  wait()
}

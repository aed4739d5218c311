import type { Place } from '../api/call.ts'
import { pathOf } from '../api/place.ts'

/** The page of history with the messages that were sent, of some states or of all, and accepted within a time. */
export function historyAddress(
  place: Place,
  { filter, fromMs, toMs }: { filter?: string; fromMs: number; toMs: number },
): string {
  const query = new URLSearchParams({
    direction: 'outbound',
    ...(filter === undefined ? {} : { state: filter }),
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
  })
  return `${pathOf(place, '/history')}?${query.toString()}`
}

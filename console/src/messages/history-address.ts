import type { Place } from '../api/call.ts'
import { pathOf } from '../api/place.ts'

/** Returns the URL of History, filtered by outbound messages accepted in a time range, optionally by status. */
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

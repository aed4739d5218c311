import { dayMs } from '../../../runtime/clock.ts'
import type { Offer, Report } from '../ports.ts'
import type { LocalApi, MessageEntry } from './local-api.ts'

/** A placeholder that was not canceled expires long before this. */
const placeholderMs = 30 * dayMs

export interface GiveDeps {
  api: Pick<LocalApi, 'post' | 'occupy' | 'message' | 'cancel'>
  clockOffsetMs: () => number
  /** Our clock. */
  now: () => number
  /** Stores what an entry of the phone reports. */
  heard: (offer: Offer, entry: MessageEntry) => Promise<void>
  /** Stores a report that no entry has. */
  report: (report: Report) => Promise<void>
}

/**
 * Submits an offer to the phone that has its data, or has never had it. Without a certain answer nothing is
 * reported: the offer returns with the next visit, and its ID makes it one SMS.
 */
export async function giveOffer(deps: GiveDeps, offer: Offer): Promise<void> {
  const { attemptId } = offer
  const posted = await deps.api.post(offer, deps.clockOffsetMs())
  if (posted.is === 'unclear') return
  const entry = posted.is === 'has' ? posted.entry : null
  const known = entry ?? (await deps.api.message(attemptId))
  if (known !== null) return deps.heard(offer, known)
  // The app checks everything else before it looks for the ID: an earlier try may have arrived, but is not there.
  if (posted.is === 'refused') await deps.report({ attemptId, state: 'failed', error: failureOf(posted.why) })
}

/** In the words with which the app itself reports the same: `sendMessage` of its MessagesService.kt (1.68). */
const failureOf = (why: string): string =>
  /already expired/i.test(why) ? 'TTL expired' : `Can't send message: ${why}`

/**
 * Cancels a recalled message. One that the phone does not have is canceled by its ID: a submission of it may
 * be on its way to a phone that dozed, and is refused once the ID is taken.
 */
export async function cancelOffer(deps: GiveDeps, offer: Offer): Promise<void> {
  const { attemptId } = offer
  const canceled = await deps.api.cancel(attemptId)
  if (canceled.is === 'done') return deps.heard(offer, canceled.entry)
  if (canceled.is === 'unclear') return
  if (canceled.is === 'missing' && (await takeId(deps, offer)))
    return deps.report({ attemptId, state: 'canceled', error: null })
  const entry = await deps.api.message(attemptId)
  if (entry !== null) await deps.heard(offer, entry)
}

/** Returns whether the ID is taken by a message that is never sent. */
async function takeId({ api, clockOffsetMs, now }: GiveDeps, offer: Offer): Promise<boolean> {
  const taken = await api.occupy(offer, { phoneMs: now() + clockOffsetMs(), afterMs: placeholderMs })
  if (taken.is !== 'has' || taken.entry === null) return false
  await api.cancel(offer.attemptId)
  return true
}

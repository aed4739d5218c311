import { isSince, since } from './app-version.ts'
import { readDate, writeDate } from './dates.ts'
import { isExpiry } from './failure.ts'
import type { Offer, Report } from './ports.ts'
import { type Answer, CallRefused, done, isRecord, type PhoneCall, type PhoneRouteDeps, readJson, textOf } from './route.ts' // prettier-ignore

/** An error may contain anything; this much is enough for its cause. */
const maxErrorLength = 500
/** Ours have 30 characters. */
const maxIdLength = 64

/** GET /message: everything that the phone must have now, in one page. A fetch is no acknowledgement. */
export async function pull({ ports }: PhoneRouteDeps, call: PhoneCall): Promise<Answer> {
  const { registration, phone, appVersion } = call
  phone?.fetching()
  const offers = await ports.offer(registration)
  phone?.fetched(offers.length)
  const mayCancel = isSince(appVersion, since.cancel)
  const items = offers.filter(({ state }) => mayCancel || state === 'pending')
  return { status: 200, json: items.map((offer) => itemOf(offer, phone?.clockOffsetMs ?? 0)) }
}

/** A single item that the app cannot parse would make it reject the page every time: each member has a fixed format. */
const itemOf = (offer: Offer, clockOffsetMs: number): object => ({
  id: offer.attemptId,
  textMessage: { text: offer.text },
  // Never more than one: a number that is listed twice would make the app drop the message silently.
  phoneNumbers: [offer.to],
  ...(offer.sim === null ? {} : { simNumber: offer.sim }),
  withDeliveryReport: true,
  isEncrypted: false,
  // The phone sends higher priorities first; one of 100 or more would bypass everything else.
  priority: Math.max(-128, Math.min(0, -offer.priority)),
  // The phone compares it with its own clock.
  validUntil: writeDate(offer.validUntil + clockOffsetMs),
  createdAt: writeDate(offer.createdAt),
  state: offer.state === 'cancelling' ? 'Cancelling' : 'Pending',
})

/**
 * PATCH /message: the states of messages. Everything that can be parsed is stored, the rest is ignored: the
 * app repeats a rejected report ten times and then drops it.
 */
export async function report({ ports }: PhoneRouteDeps, call: PhoneCall): Promise<Answer> {
  const { registration, phone } = call
  const body = readJson(call)
  if (!Array.isArray(body)) throw new CallRefused(400, 'The body is not a list.')
  const entries = body.filter(isRecord)
  for (const each of body)
    if (!isRecord(each)) ports.unparsed(registration, 'report', `no object: ${typeof each}`)
  const reports = entries.flatMap((entry) => {
    const read = readReport(entry, phone?.clockOffsetMs ?? 0)
    if (read.length === 0) ports.unparsed(registration, 'report', formOf(entry))
    return read
  })
  const news = reports.length > 0 ? await ports.report(registration, reports) : []
  if (phone === null) return done
  const expiries = new Set(news.filter(({ error }) => isExpiry(error)).map(({ attemptId }) => attemptId))
  const expired = entries.filter(({ id }) => expiries.has(String(id)))
  for (const [from, witnesses] of [
    ['state', entries],
    ['expiry', expired],
  ] as const) {
    const latest = Math.max(...witnesses.map(latestDate))
    if (Number.isFinite(latest)) phone.recordClock(from, latest)
  }
  phone.reported(news)
  if (phone.hasBacklog && (await ports.hasMore(registration))) phone.wake()
  return done
}

/** Describes a report that could not be parsed: its state, if it is a word, and whether it names a message. */
function formOf({ id, state, recipients }: Record<string, unknown>): string {
  const list: unknown[] = Array.isArray(recipients) ? recipients : []
  const reported = list.find(isRecord)?.['state'] ?? state
  const word =
    typeof reported === 'string' && /^[A-Za-z]{1,40}$/.test(reported)
      ? reported
      : `no word: ${typeof reported}`
  return `state ${word}, ${textOf(id, maxIdLength) === null ? 'without' : 'with'} an id`
}

const states: Readonly<Record<string, Report['state']>> = {
  Pending: 'pending',
  Processed: 'processed',
  Sent: 'sent',
  Delivered: 'delivered',
  Failed: 'failed',
  Cancelled: 'canceled',
}

/**
 * Returns the report on the one recipient, or on the message if the phone does not know it: the phone cancels
 * what it never had. Each state is dated by the phone's clock, which is `clockOffsetMs` ahead of ours.
 */
export function readReport(entry: Record<string, unknown>, clockOffsetMs: number): Report[] {
  const { state, recipients } = entry
  const attemptId = textOf(entry['id'], maxIdLength)
  const list: unknown[] = Array.isArray(recipients) ? recipients : []
  const recipient = list.find(isRecord) ?? {}
  const reported = recipient['state'] ?? state
  const known = typeof reported === 'string' && Object.hasOwn(states, reported) ? states[reported] : undefined
  if (attemptId === null || known === undefined) return []
  // The app keeps only the latest state, and the date of each: if Android reports sending after delivery, no
  // report may have said so.
  const times = timesOf(entry, clockOffsetMs)
  if ((known === 'processed' || known === 'sent') && 'deliveredAt' in times)
    return [{ attemptId, state: 'delivered', error: null, ...times }]
  // With other states it is only a remark.
  const error = known === 'failed' ? textOf(recipient['error'], maxErrorLength) : null
  return [{ attemptId, state: known, error, ...times }]
}

function timesOf(
  { states: dates }: Record<string, unknown>,
  clockOffsetMs: number,
): Pick<Report, 'sentAt' | 'deliveredAt'> {
  const [sentAt, deliveredAt] = ['Sent', 'Delivered'].map((state) => {
    const atMs = isRecord(dates) ? readDate(dates[state]) : null
    return atMs === null ? undefined : atMs - clockOffsetMs
  })
  return { ...(sentAt !== undefined && { sentAt }), ...(deliveredAt !== undefined && { deliveredAt }) }
}

/** When the phone recorded its last change, by its own clock. */
function latestDate({ states: dates }: Record<string, unknown>): number {
  const times = isRecord(dates) ? Object.values(dates).map((date) => readDate(date) ?? -Infinity) : []
  return Math.max(-Infinity, ...times)
}

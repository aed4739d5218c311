import { isSince, since } from './app-version.ts'
import { readDate, writeDate } from './dates.ts'
import { isExpiry } from './failure.ts'
import type { Offer, Report } from './ports.ts'
import { type Answer, CallRefused, done, isRecord, type PhoneCall, type PhoneRouteDeps, readJson, textOf } from './route.ts' // prettier-ignore

/** An error may hold anything; this much tells its cause. */
const longestError = 500
/** Ours have 30 characters. */
const longestId = 64

/** GET /message: everything that the phone is to have now, in one page. Asking is no acknowledgement. */
export async function pull({ ports }: PhoneRouteDeps, call: PhoneCall): Promise<Answer> {
  const { registration, phone, appVersion } = call
  phone?.fetching()
  const offers = await ports.offer(registration)
  phone?.fetched(offers.length)
  const mayCancel = isSince(appVersion, since.cancel)
  const items = offers.filter(({ state }) => mayCancel || state === 'pending')
  return { status: 200, json: items.map((offer) => itemOf(offer, phone?.clockOffsetMs ?? 0)) }
}

/** One item that the app cannot read would make it refuse the whole page for ever: every member has its one form. */
const itemOf = (offer: Offer, clockOffsetMs: number): object => ({
  id: offer.attemptId,
  textMessage: { text: offer.text },
  // Never more than one: a number that stood there twice would make the app drop the message without a word.
  phoneNumbers: [offer.to],
  ...(offer.sim === null ? {} : { simNumber: offer.sim }),
  withDeliveryReport: true,
  isEncrypted: false,
  // On the phone the higher goes first; from 100 on one would pass over everything else.
  priority: Math.max(-128, Math.min(0, -offer.priority)),
  // The phone holds it against its own clock.
  validUntil: writeDate(offer.validUntil + clockOffsetMs),
  createdAt: writeDate(offer.createdAt),
  state: offer.state === 'cancelling' ? 'Cancelling' : 'Pending',
})

/**
 * PATCH /message: what became of messages. Whatever can be read is stored, and the rest passed over: each refusal is asked again ten
 * times and then lost.
 */
export async function report({ ports }: PhoneRouteDeps, call: PhoneCall): Promise<Answer> {
  const { registration, phone } = call
  const body = readJson(call)
  if (!Array.isArray(body)) throw new CallRefused(400, 'The body is not a list.')
  const entries = body.filter(isRecord)
  for (const each of body)
    if (!isRecord(each)) ports.unread(registration, 'report', `no object: ${typeof each}`)
  const reports = entries.flatMap((entry) => {
    const read = readReport(entry, phone?.clockOffsetMs ?? 0)
    if (read.length === 0) ports.unread(registration, 'report', formOf(entry))
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
    if (Number.isFinite(latest)) phone.heardClock(from, latest)
  }
  phone.reported(news)
  if (phone.hasBacklog && (await ports.hasMore(registration))) phone.wake()
  return done
}

/** Of a report that could not be read: its state, where that is a word, and whether it names a message. */
function formOf({ id, state, recipients }: Record<string, unknown>): string {
  const list: unknown[] = Array.isArray(recipients) ? recipients : []
  const said = list.find(isRecord)?.['state'] ?? state
  const word = typeof said === 'string' && /^[A-Za-z]{1,40}$/.test(said) ? said : `no word: ${typeof said}`
  return `state ${word}, ${textOf(id, longestId) === null ? 'without' : 'with'} an id`
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
 * The word on the one recipient, or on the message where the phone knows of none: it cancels what it never had. It dates each state by its own
 * clock, which goes `clockOffsetMs` before ours.
 */
function readReport(entry: Record<string, unknown>, clockOffsetMs: number): Report[] {
  const { state, recipients } = entry
  const attemptId = textOf(entry['id'], longestId)
  const list: unknown[] = Array.isArray(recipients) ? recipients : []
  const recipient = list.find(isRecord) ?? {}
  const said = recipient['state'] ?? state
  const known = typeof said === 'string' && Object.hasOwn(states, said) ? states[said] : undefined
  if (attemptId === null || known === undefined) return []
  // The app keeps the latest word alone, and the date of each: where Android tells of sending behind delivery, no report may have said so.
  const times = timesOf(entry, clockOffsetMs)
  if ((known === 'processed' || known === 'sent') && 'deliveredAt' in times)
    return [{ attemptId, state: 'delivered', error: null, ...times }]
  // Beside other states it is a remark.
  const error = known === 'failed' ? textOf(recipient['error'], longestError) : null
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

/** When the phone wrote down its last change, by its own clock. */
function latestDate({ states: dates }: Record<string, unknown>): number {
  const times = isRecord(dates) ? Object.values(dates).map((date) => readDate(date) ?? -Infinity) : []
  return Math.max(-Infinity, ...times)
}

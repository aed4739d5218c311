import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { dayMs, minuteMs } from '../../runtime/clock.ts'
import type { Inbound } from '../connector.ts'
import { readDate } from './dates.ts'
import { isBare, ownNumber } from './own-number.ts'
import type { Phone } from './phone.ts'
import type { SeenHealth } from './phone-health.ts'
import { unmasked } from './known-sims.ts'
import { readSims } from './registration.ts'
import { type Answer, CallRefused, done, isRecord, type PhoneCall, type PhoneRouteDeps, readJson, textOf, wholeNumberOf } from './route.ts' // prettier-ignore

const maxNumberLength = 64
/** Maximum parts of a message (3GPP TS 23.040 section 9.2.3.24.1). */
const maxParts = 255

/**
 * POST /hooks/…: events of the phone. It waits for the response before it sends the next, and repeats what
 * did not get 2xx, so a received message is stored first. Events that are not used get the same response.
 */
export async function handleHook(deps: PhoneRouteDeps, call: PhoneCall): Promise<Answer> {
  checkSignature(deps, call)
  call.phone?.hooks.arrived()
  call.phone?.reportHealth()
  const envelope = readJson(call)
  if (!isRecord(envelope)) throw new CallRefused(400, 'The body is not an object.')
  const payload = isRecord(envelope['payload']) ? envelope['payload'] : {}
  const { ports } = deps
  const { registration, phone } = call
  switch (envelope['event']) {
    case 'sms:received': {
      const inbound = readReceived(payload, {
        eventId: textOf(envelope['id'], maxNumberLength),
        nowMs: deps.clock.now(),
      })
      if (inbound === null) ports.unparsed(registration, 'message', membersOf(payload))
      else await ports.inbound(registration, { ...inbound, to: recipientOf(payload, call) })
      break
    }
    case 'sms:sent': {
      const sim = wholeNumberOf(payload['simNumber'], 1, 3)
      const parts = wholeNumberOf(payload['partsCount'], 1, maxParts)
      const attemptId = textOf(payload['messageId'], maxNumberLength)
      if (attemptId === null) ports.unparsed(registration, 'event', `sms:sent with ${membersOf(payload)}`)
      else if ((sim ?? parts) !== null) await ports.sentOver(registration, { attemptId, sim, parts })
      break
    }
    case 'system:ping':
      phone?.pinged(readHealth(payload['health']))
      break
    case 'app:started': {
      const sims = readSims(payload['simCards'])
      if (sims !== null) phone?.sawSims(sims)
      break
    }
    default:
      ports.unparsed(registration, 'event', eventOf(envelope['event']))
  }
  return done
}

/** Names of the app's events and members; anything else may be personal data. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z:_-]{0,39}$/.test(value)
const eventOf = (event: unknown): string =>
  isName(event) ? event : `an event without a name: ${typeof event}`

/** Describes which members exist, and their types. */
const membersOf = (payload: Readonly<Record<string, unknown>>): string =>
  Object.entries(payload)
    .map(([name, value]) => `${isName(name) ? name : '?'}: ${value === null ? 'null' : typeof value}`)
    .join(', ') || 'no members'

/**
 * HMAC-SHA256 over the body followed by the timestamp, in hexadecimal; the timestamp in seconds by the
 * phone's clock.
 */
function checkSignature({ clock }: PhoneRouteDeps, { registration, phone, headers, body }: PhoneCall): void {
  const timestamp = headers['x-timestamp']
  const signature = headers['x-signature']
  if (typeof timestamp !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(timestamp))
    throw new CallRefused(401, 'The signature or its timestamp is missing.')
  const expected = createHmac('sha256', registration.signingKey).update(body).update(timestamp).digest('hex')
  if (!isSame(signature, expected)) throw new CallRefused(401, 'The signature is wrong.')
  const atMs = Number(timestamp) * 1_000
  // The clock of a device that does not run is unknown.
  const isTimely = phone === null ? Math.abs(atMs - clock.now()) <= dayMs : phone.admitsHook(atMs)
  if (!isTimely) throw new CallRefused(401, 'The timestamp is too old, or too new.')
}

/** Compares in constant time: both digests have the same length. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

/**
 * Returns null for what is no message. The time is that of the SMSC, in seconds: it tells genuine repeats
 * apart. Apps report a message twice, from the broadcast and from the inbox of the phone, with different time
 * formats. A time before the app existed counts as none.
 */
export function readReceived(
  payload: Record<string, unknown>,
  { eventId, nowMs }: { eventId: string | null; nowMs: number },
): Omit<Inbound, 'to'> | null {
  const { message, receivedAt } = payload
  const from = textOf(payload['sender'] ?? payload['phoneNumber'], maxNumberLength)
  if (from === null || typeof message !== 'string') return null
  const reportedMs = readDate(receivedAt)
  const atMs = reportedMs === null || reportedMs < firstDateMs ? null : reportedMs
  return {
    from,
    ...(isBare(from) && { fromIs: 'bare' as const }),
    text: message,
    // An SMSC with a fast clock must not date a message into the future.
    networkAt: atMs === null ? null : Math.min(atMs, nowMs),
    inReplyTo: null,
    ...namesOf(payload, { from, atMs, eventId, nowMs }),
    ...(atMs === null && eventId === null && { fingerprintGuessed: true }),
  }
}

/**
 * Returns which of its numbers the SMS was sent to: the one set for its SIM, as the phone reports, or as it
 * reported for that SIM. The app reports no number for a SIM that does not know its own, and omits the SIM if
 * Android does not name it (`ReceiverService`, app 1.68).
 */
export function recipientOf(
  { recipient, simNumber }: Record<string, unknown>,
  { registration, phone }: { registration: PhoneCall['registration']; phone: Pick<Phone, 'health'> | null },
): string | null {
  const sims = phone?.health().sims ?? registration.sims ?? []
  const slot = wholeNumberOf(simNumber, 1, 3) ?? (sims.length === 1 ? (sims[0]?.slot ?? null) : null)
  const { simNumbers, country } = registration
  const set = slot === null ? null : (simNumbers[slot - 1] ?? null)
  const reported = sims.find((sim) => sim.slot === slot)?.number ?? null
  return set ?? ownNumber(textOf(recipient, maxNumberLength) ?? unmasked(reported), country)
}

/** No SMS that a phone forwards is older: a missing time or a stopped clock yields 1970. */
const firstDateMs = Date.UTC(2000, 0)
/** Both reports of one SMS arrive within this, if no date shows that they belong together. */
const sameReportMs = 10 * minuteMs

/**
 * Returns what identifies an SMS: sender, text, time and SIM. If a report omits the SIM or the date, another
 * report of the same SMS may have it: each looks for the other, and each matches only one. Without a date the
 * report itself identifies repeats: the app gives each an ID that its repeats keep, and reports no SMS twice
 * with the same date and SIM (`WebHooksService.emit`, `IncomingMessagesService.isMessageProcessed`, app
 * 1.68). So two reports without a date are two SMS, unless one of them omits the SIM.
 */
function namesOf(
  { message, receivedAt, simNumber }: Record<string, unknown>,
  {
    from,
    atMs,
    eventId,
    nowMs,
  }: { from: string; atMs: number | null; eventId: string | null; nowMs: number },
): Pick<Inbound, 'fingerprint' | 'toldOtherwise'> {
  const sim = wholeNumberOf(simNumber, 1, 3)
  const others = sim === null ? [1, 2, 3] : [null]
  const named = (at: unknown, ...of: unknown[]): string =>
    createHash('sha256')
      .update(JSON.stringify([from, at, message, ...of]))
      .digest('hex')
  const turn = Math.floor(nowMs / sameReportMs)
  const near = (what: string, sims: readonly (number | null)[], suffix = ''): string[] =>
    sims.flatMap((each) => [turn, turn - 1].map((at) => `${named(what, each, at)}/${suffix}`))
  if (atMs !== null) {
    const second = Math.floor(atMs / 1_000)
    return {
      fingerprint: named(second, sim),
      toldOtherwise: {
        keeps: [`${named('dated', sim, turn)}/${second}`],
        looksFor: [
          ...others.map((each) => named(second, each)),
          ...near('dated', others, String(second)),
          ...near('dateless', [sim, ...others]),
        ],
      },
    }
  }
  const fingerprint = named('dateless', eventId ?? [receivedAt ?? null, sim, turn])
  return {
    fingerprint,
    toldOtherwise: {
      keeps: [`${named('dateless', sim, turn)}/${fingerprint}`],
      looksFor: [...near('dated', [sim, ...others]), ...near('dateless', others)],
    },
  }
}

/** Flags of `connection:transport`; the first one that is set names the transport. */
const transports = [
  [4, 'wifi'],
  [8, 'ethernet'],
  [2, 'cellular'],
] as const
/** Of `connection:cellular`: registered from 2G on. */
const registeredFrom = 2

/** Parses the health in `system:ping`, or of a visited phone; what is missing is null. */
export function readHealth(health: unknown): SeenHealth {
  const checks = isRecord(health) && isRecord(health['checks']) ? health['checks'] : {}
  const check = (name: string): Record<string, unknown> => (isRecord(checks[name]) ? checks[name] : {})
  const valueOf = (name: string): number | null => wholeNumberOf(check(name)['observedValue'], 0, 1_000_000)
  const percent = valueOf('battery:level')
  const charging = valueOf('battery:charging')
  const flags = valueOf('connection:transport')
  const cellular = valueOf('connection:cellular')
  const transport = flags === null ? null : (transports.find(([flag]) => (flags & flag) !== 0)?.[1] ?? null)
  const registered = cellular !== null && cellular >= registeredFrom ? true : null
  return {
    battery: percent === null || percent > 100 ? null : { percent, charging: (charging ?? 0) !== 0 },
    network: flags === null && cellular === null ? null : { transport, registered },
    fails: check('messages:failed')['status'] === 'fail',
  }
}

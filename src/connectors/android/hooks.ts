import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { dayMs, minuteMs } from '../../runtime/clock.ts'
import type { Inbound } from '../connector.ts'
import { readDate } from './dates.ts'
import { isBare, ownNumber } from './own-number.ts'
import type { SeenHealth } from './phone.ts'
import { unmasked } from './known-sims.ts'
import { readSims } from './registration.ts'
import { type Answer, CallRefused, done, isRecord, type PhoneCall, type PhoneRouteDeps, readJson, textOf, wholeNumberOf } from './route.ts' // prettier-ignore

const longestNumber = 64
/** The most that one message can be joined of (3GPP TS 23.040 section 9.2.3.24.1). */
const maxParts = 255

/**
 * POST /hooks/…: what the phone tells by itself. It waits for the answer before it tells the next, and repeats what is not answered
 * with 2xx, so that a received message is stored before. What nobody here needs is answered alike.
 */
export async function hear(deps: PhoneRouteDeps, call: PhoneCall): Promise<Answer> {
  checkSignature(deps, call)
  const envelope = readJson(call)
  if (!isRecord(envelope)) throw new CallRefused(400, 'The body is not an object.')
  const payload = isRecord(envelope['payload']) ? envelope['payload'] : {}
  const { ports } = deps
  const { registration, phone } = call
  switch (envelope['event']) {
    case 'sms:received': {
      const inbound = readReceived(payload, {
        tellingId: textOf(envelope['id'], longestNumber),
        nowMs: deps.clock.now(),
      })
      if (inbound === null) ports.unread(registration, 'message', membersOf(payload))
      else await ports.inbound(registration, { ...inbound, to: recipientOf(payload, call) })
      break
    }
    case 'sms:sent': {
      const sim = wholeNumberOf(payload['simNumber'], 1, 3)
      const parts = wholeNumberOf(payload['partsCount'], 1, maxParts)
      const attemptId = textOf(payload['messageId'], longestNumber)
      if (attemptId === null) ports.unread(registration, 'event', `sms:sent with ${membersOf(payload)}`)
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
      ports.unread(registration, 'event', eventOf(envelope['event']))
  }
  return done
}

/** Names of events and members of the app; anything else may be somebody's words. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z:_-]{0,39}$/.test(value)
const eventOf = (event: unknown): string =>
  isName(event) ? event : `an event without a name: ${typeof event}`

/** Which members there are, and of what type. */
const membersOf = (payload: Readonly<Record<string, unknown>>): string =>
  Object.entries(payload)
    .map(([name, value]) => `${isName(name) ? name : '?'}: ${value === null ? 'null' : typeof value}`)
    .join(', ') || 'no members'

/** HMAC-SHA256 over the body and the timestamp behind it, in hexadecimal; the timestamp in seconds by the phone's clock. */
function checkSignature({ clock }: PhoneRouteDeps, { registration, phone, headers, body }: PhoneCall): void {
  const timestamp = headers['x-timestamp']
  const signature = headers['x-signature']
  if (typeof timestamp !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(timestamp))
    throw new CallRefused(401, 'The signature or its timestamp is missing.')
  const expected = createHmac('sha256', registration.signingKey).update(body).update(timestamp).digest('hex')
  if (!isSame(signature, expected)) throw new CallRefused(401, 'The signature is wrong.')
  const atMs = Number(timestamp) * 1_000
  // Of a device that does not run the clock is not known.
  const isTimely = phone === null ? Math.abs(atMs - clock.now()) <= dayMs : phone.admitsHook(atMs)
  if (!isTimely) throw new CallRefused(401, 'The timestamp is too old, or too new.')
}

/** In a time that does not depend on where they differ: what is compared has one length. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

/**
 * Null for what is no message. The time is the one of the SMSC, which knows seconds: it tells genuine repeats apart. Apps tell a message
 * twice, by the broadcast and by the inbox of the phone, and write its time as they like: one from before there was the app is none.
 */
function readReceived(
  payload: Record<string, unknown>,
  { tellingId, nowMs }: { tellingId: string | null; nowMs: number },
): Omit<Inbound, 'to'> | null {
  const { message, receivedAt } = payload
  const from = textOf(payload['sender'] ?? payload['phoneNumber'], longestNumber)
  if (from === null || typeof message !== 'string') return null
  const toldMs = readDate(receivedAt)
  const atMs = toldMs === null || toldMs < firstDateMs ? null : toldMs
  return {
    from,
    ...(isBare(from) && { fromIs: 'bare' as const }),
    text: message,
    // An SMSC whose clock goes before ours makes no message of tomorrow.
    receivedAt: atMs === null ? null : Math.min(atMs, nowMs),
    inReplyTo: null,
    ...namesOf(payload, { from, atMs, tellingId, nowMs }),
    ...(atMs === null && tellingId === null && { fingerprintGuessed: true }),
  }
}

/**
 * Which of its numbers the SMS came to: as it was set for its SIM, as the phone says, or as it has said of that SIM. The app says none of a SIM that does
 * not know its own, and leaves out which SIM it was where Android does not tell (`ReceiverService`, app 1.68).
 */
function recipientOf(
  { recipient, simNumber }: Record<string, unknown>,
  { registration, phone }: PhoneCall,
): string | null {
  const sims = phone?.health().sims ?? registration.sims ?? []
  const slot = wholeNumberOf(simNumber, 1, 3) ?? (sims.length === 1 ? (sims[0]?.slot ?? null) : null)
  const { simNumbers, country } = registration
  const set = slot === null ? null : (simNumbers[slot - 1] ?? null)
  const told = sims.find((sim) => sim.slot === slot)?.number ?? null
  return set ?? ownNumber(textOf(recipient, longestNumber) ?? unmasked(told), country)
}

/** No SMS that a phone hands on is older: one that tells no time, or whose clock does not go, dates it to 1970. */
const firstDateMs = Date.UTC(2000, 0)
/** In which both tellings of one SMS come, where a date does not say that they are one. */
const toldWithinMs = 10 * minuteMs

/**
 * What tells an SMS apart from others: who wrote what, when, and to which SIM. Of a telling that leaves out the SIM or the date, another one of the same
 * SMS has more: it looks for that, and that for it, and each is the other telling of one SMS only. Without a date it is the telling itself that tells
 * repeats apart: the app gives each an id that its repeats keep, and tells no SMS twice with the same date and SIM (`WebHooksService.emit`,
 * `IncomingMessagesService.isMessageProcessed`, app 1.68), so that two tellings without a date are two SMS, unless one of them leaves out the SIM.
 */
function namesOf(
  { message, receivedAt, simNumber }: Record<string, unknown>,
  {
    from,
    atMs,
    tellingId,
    nowMs,
  }: { from: string; atMs: number | null; tellingId: string | null; nowMs: number },
): Pick<Inbound, 'fingerprint' | 'toldOtherwise'> {
  const sim = wholeNumberOf(simNumber, 1, 3)
  const others = sim === null ? [1, 2, 3] : [null]
  const named = (at: unknown, ...of: unknown[]): string =>
    createHash('sha256')
      .update(JSON.stringify([from, at, message, ...of]))
      .digest('hex')
  const turn = Math.floor(nowMs / toldWithinMs)
  const near = (what: string, sims: readonly (number | null)[], behind = ''): string[] =>
    sims.flatMap((each) => [turn, turn - 1].map((at) => `${named(what, each, at)}/${behind}`))
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
  const fingerprint = named('dateless', tellingId ?? [receivedAt ?? null, sim, turn])
  return {
    fingerprint,
    toldOtherwise: {
      keeps: [`${named('dateless', sim, turn)}/${fingerprint}`],
      looksFor: [...near('dated', [sim, ...others]), ...near('dateless', others)],
    },
  }
}

/** Flags of `connection:transport`; the first that is set says how the phone reaches us. */
const transports = [
  [4, 'wifi'],
  [8, 'ethernet'],
  [2, 'cellular'],
] as const
/** Of `connection:cellular`: from 2G on it is registered. */
const registeredFrom = 2

/** The health that `system:ping` carries; what it leaves out is null. */
function readHealth(health: unknown): SeenHealth {
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

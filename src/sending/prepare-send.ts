import type { Caller } from '../accounts/keys/authenticator.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Config } from '../config.ts'
import type { Routing } from '../dispatch/devices/routing.ts'
import { type Fault, refuse } from '../runtime/errors.ts'
import type { Ids } from '../runtime/ids.ts'
import { longestAheadMs } from '../messages/queue/move-messages.ts'
import type { SendRequest } from '../messages/send/send-request.ts'
import { readInstant } from '../runtime/instant.ts'
import { type SendBody, readSendBody } from './send-body.ts'
import { checkPlayedLimits, checkPolicy } from './send-policy.ts'
import type { SendPorts } from './send-ports.ts'
import { readRecipients, type Recipient } from './send-recipients.ts'
import { type PricedText, priceText } from './send-text.ts'
import { type ExpectedWait, findWarnings, lowBalanceWarning } from './send-warnings.ts'

export interface PrepareSendDeps {
  clock: Pick<Clock, 'now'>
  ids: Ids
  config: Pick<Config, 'queueLimit'>
  ports: Pick<SendPorts, 'optedOut' | 'routing' | 'waitingParts'>
}

/** A body that was found good, with its numbers read and its text priced. */
export interface CheckedSend {
  body: SendBody
  recipients: Recipient[]
  priced: PricedText
  /** When it is to be sent; null for at once. */
  sendAtMs: number | null
  routing: Routing
  /** How soon it can have gone; null when nobody can say. */
  wait: ExpectedWait | null
}

const maxFaults = 100
/** Clocks differ, and requests take their time. */
const longestPastMs = 60_000
const defaultValiditySeconds = { authentication: 600, transactional: 86_400, marketing: 86_400 } as const

/**
 * Checks everything about a send that does not need its account locked, in the order of checks: form and meaning of the body, policy,
 * whether any device could carry it. Throws a `Refusal` that names every fault.
 */
export async function checkSend(
  deps: Pick<PrepareSendDeps, 'ports' | 'clock'>,
  caller: Caller,
  body: object,
): Promise<CheckedSend> {
  const { accountId, mode } = caller
  const send = readSend(body, caller, { routings: deps.ports.routing, nowMs: deps.clock.now() })
  await checkPolicy(deps.ports, caller, send.recipients)
  if (!send.routing.enabled) throw refuse('no_sender_available', { headers: { 'retry-after': '30' } })
  const parts = send.recipients.length * send.priced.parts
  checkPlayedLimits(mode, send.recipients, parts)
  const { paces, pickUpSeconds } = send.routing
  // Most sends go to devices without a pace: they are spared the look-up.
  if (paces === null) return { ...send, wait: pickUpSeconds === 0 ? null : { pickUpSeconds } }
  return { ...send, wait: { paces, parts: parts + (await deps.ports.waitingParts(accountId, mode)) } }
}

/** Reads the body; refuses it with all its faults at once. */
function readSend(
  given: object,
  caller: Caller,
  { routings, nowMs }: { routings: SendPorts['routing']; nowMs: number },
): Omit<CheckedSend, 'wait'> {
  const { sound, faults } = readSendBody(given)
  const { accountId, mode } = caller
  const sender = sound.from ?? null
  const sendAtMs = readSendAt(sound.send_at ?? null, nowMs, faults)
  const recipients = sound.to === undefined ? [] : readRecipients(sound.to, mode, faults)
  const priced = sound.text === undefined ? null : priceSound(sound.text, sound, faults)
  const encodingForced = priced?.encodingForced === true
  const routing = routings.forAccount(accountId, mode, sender, encodingForced)
  const isEncodingInTheWay =
    encodingForced && !routing.enabled && routings.forAccount(accountId, mode, sender, false).enabled
  if (isEncodingInTheWay) {
    const detail =
      'GSM-7 has every character of the text, and no device that could send it can be told to send UCS-2 all the same: phones choose the encoding by the text. Leave `encoding` at `auto`.'
    faults.push({ pointer: '/encoding', code: 'encoding_not_available', detail })
  }
  if (priced !== null && routing.enabled && priced.parts > routing.maxParts) {
    const detail = `The message needs ${priced.parts} parts and no device joins more than ${routing.maxParts}.`
    faults.push({ pointer: '/text', code: 'message_too_long', detail })
  }
  if (sender !== null && !routing.enabled && !isEncodingInTheWay) {
    const detail = 'No device of this account can send under this name or number.'
    faults.push({ pointer: '/from', code: 'sender_not_available', detail })
  }
  if (faults.length > 0 || priced === null)
    throw refuse('validation_failed', { errors: faults.slice(0, maxFaults) })
  return { body: sound as SendBody, recipients, priced, sendAtMs, routing }
}

function readSendAt(text: string | null, nowMs: number, faults: Fault[]): number | null {
  const atMs = text === null ? null : readInstant(text)
  if (typeof atMs !== 'number') return null
  if (atMs >= nowMs - longestPastMs && atMs <= nowMs + longestAheadMs) return atMs
  const detail =
    atMs < nowMs
      ? 'It has passed: it may lie up to 60 s back, and then means at once.'
      : 'It may lie up to 30 days ahead.'
  faults.push({ pointer: '/send_at', code: 'out_of_range', detail })
  return null
}

const priceSound = (text: string, body: Partial<SendBody>, faults: Fault[]): PricedText | null =>
  priceText(
    text,
    {
      encoding: body.encoding ?? 'auto',
      smartEncoding: body.smart_encoding ?? false,
      maxParts: body.max_parts ?? 10,
    },
    faults,
  )

/**
 * The request of a checked send, with its time and ids. To be stored at once, in the same turn: whoever pages through history must not
 * come between the taking of the time and the store that is told of it.
 */
export function buildRequest(
  { clock, ids, config }: PrepareSendDeps,
  caller: Caller,
  { body, recipients, priced, routing, wait, sendAtMs }: CheckedSend,
  idempotency: SendRequest['idempotency'],
): SendRequest {
  const createdAt = clock.now()
  const category = body.category ?? 'transactional'
  const validitySeconds = body.validity_period ?? defaultValiditySeconds[category]
  const onUnknown = body.on_unknown ?? 'stop'
  const { mode } = caller
  const isScheduled = sendAtMs !== null && sendAtMs > createdAt
  return {
    sendId: ids('snd'),
    messageIds: recipients.map(() => ids('msg')),
    accountId: caller.accountId,
    mode,
    keyId: caller.keyId,
    dailyCap: caller.dailyCap,
    queueLimit: caller.queueLimit ?? config.queueLimit,
    createdAt,
    idempotency,
    recipients: recipients.map(({ to, country }) => ({ to, country })),
    from: body.from ?? null,
    category,
    text: priced.text,
    encoding: priced.encoding,
    ...(priced.encodingForced ? { encodingForced: true } : {}),
    units: priced.units,
    parts: priced.parts,
    smartEncodingApplied: priced.smartEncodingApplied,
    onUnknown,
    clientReference: body.client_reference ?? null,
    metadata: body.metadata === undefined ? '{}' : JSON.stringify(body.metadata),
    ...(isScheduled ? { sendAt: sendAtMs } : {}),
    expiresAt: (isScheduled ? sendAtMs : createdAt) + validitySeconds * 1000,
    warnings: findWarnings(
      {
        mode,
        recipients,
        priced,
        encoding: body.encoding ?? 'auto',
        validitySeconds,
        onUnknown,
        wait,
        isScheduled,
      },
      routing,
      createdAt,
    ),
    lowBalanceWarning,
  }
}

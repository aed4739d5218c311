import type { Caller } from '../accounts/keys/authenticator.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Config } from '../config.ts'
import { type Fault, refuse } from '../runtime/errors.ts'
import type { Ids } from '../runtime/ids.ts'
import { longestAheadMs } from '../messages/queue/move-messages.ts'
import type { SendRequest } from '../messages/send/send-request.ts'
import { parseInstant } from '../runtime/instant.ts'
import { type SendBody, readSendBody } from './send-body.ts'
import { type ChosenWay, chooseWays, drawWays, fallbackOf, routingOver } from './choose-ways.ts'
import { viaName } from '../devices/routes/way.ts'
import { choosePurse, type ChosenPurse } from './own-purse.ts'
import { checkPolicy, checkSimulatedLimits } from './send-policy.ts'
import type { SendPorts } from './send-ports.ts'
import { readRecipients, type Recipient } from './send-recipients.ts'
import { type PricedText, priceText } from './send-text.ts'
import { type ExpectedWait, findWarnings, lowBalanceWarning } from './send-warnings.ts'

export interface PrepareSendDeps {
  clock: Pick<Clock, 'now'>
  ids: Ids
  config: Pick<Config, 'queueLimit'>
  ports: Pick<SendPorts, 'optedOut' | 'routing' | 'routes' | 'waitingParts'>
}

/** A valid body, with its numbers parsed and its text priced. */
export interface CheckedSend extends ChosenPurse {
  body: SendBody
  recipients: Recipient[]
  /** What rules say of each recipient. */
  choices: ChosenWay[]
  priced: PricedText
  /** Send time; null to send immediately. */
  sendAtMs: number | null
  /** When it can be submitted at the earliest; null when that is unknown. */
  wait: ExpectedWait | null
}

const maxFaults = 100
/** Clocks differ, and requests take time. */
const longestPastMs = 60_000
const defaultValiditySeconds = { authentication: 600, transactional: 86_400, marketing: 86_400 } as const

/**
 * Checks everything about a send that does not need a lock on its account, in this order: form and meaning of
 * the body (422 with all faults), recipients that may not be sent to (422), and whether any device can carry it
 * (503). The limits, the queue and the balance follow (`Sender`). Throws a `Refusal`.
 */
export async function checkSend(
  deps: Pick<PrepareSendDeps, 'ports' | 'clock'>,
  caller: Caller,
  body: object,
): Promise<CheckedSend> {
  const { accountId, mode } = caller
  const send = readSend(body, caller, { ports: deps.ports, nowMs: deps.clock.now() })
  await checkPolicy(deps.ports, caller, send)
  if (!send.routing.enabled) throw refuse('no_sender_available', { headers: { 'retry-after': '30' } })
  const parts = send.recipients.length * send.priced.parts
  checkSimulatedLimits(mode, send.recipients, parts)
  const { paces, pickUpSeconds } = send.routing
  // Most sends go to devices without a rate limit and need no lookup.
  if (paces === null) return { ...send, wait: pickUpSeconds === 0 ? null : { pickUpSeconds } }
  return { ...send, wait: { paces, parts: parts + (await deps.ports.waitingParts(accountId, mode)) } }
}

/** Reads the body; rejects it with all its faults. */
function readSend(
  given: object,
  caller: Caller,
  { ports, nowMs }: { ports: Pick<SendPorts, 'routing' | 'routes'>; nowMs: number },
): Omit<CheckedSend, 'wait'> {
  const { valid, faults } = readSendBody(given)
  const { accountId, mode } = caller
  const sender = valid.from ?? null
  const sendAtMs = readSendAt(valid.send_at ?? null, nowMs, faults)
  const recipients = valid.to === undefined ? [] : readRecipients(valid.to, mode, faults)
  const priced = valid.text === undefined ? null : priceValid(valid.text, valid, faults)
  const encodingForced = priced?.encodingForced === true
  const choices = chooseWays(ports.routes, caller, recipients, {
    from: sender,
    category: valid.category ?? 'transactional',
    encoding: priced?.encoding ?? 'gsm7',
    parts: priced?.parts ?? 0,
    via: valid.via === undefined ? null : viaName(valid.via.device, valid.via.sim),
  })
  const routings = routingOver(ports.routing, choices)
  const fallback =
    valid.fallback ??
    fallbackOf(choices, () => routings.forAccount(accountId, mode, sender, encodingForced).shared)
  const carried = { sender, encodingForced, parts: priced?.parts ?? 0, fallback }
  const purse = choosePurse(routings, caller, carried)
  const { routing } = purse
  if (valid.via !== undefined && recipients.length > 0 && !isOwnDevice(routings, caller)) {
    const detail = 'No enabled device of this account has this ID.'
    faults.push({ pointer: '/via/device', code: 'not_in_enum', detail })
  }
  if (valid.via?.sim !== undefined && routing.enabled && !routing.phonesOnly) {
    const detail = 'This device is no phone, so that it has no SIMs to choose from. Leave `sim` out.'
    faults.push({ pointer: '/via/sim', code: 'not_in_enum', detail })
  }
  const isBlockedByEncoding =
    encodingForced && !routing.enabled && routings.forAccount(accountId, mode, sender, false).enabled
  if (isBlockedByEncoding) {
    const detail =
      'All characters of the text are in GSM-7, and no available device can be forced to send it as UCS-2: phones choose the encoding by the text. Leave `encoding` at `auto`.'
    faults.push({ pointer: '/encoding', code: 'encoding_not_available', detail })
  }
  if (priced !== null && routing.enabled && priced.parts > routing.maxParts) {
    const detail = `The message needs ${priced.parts} parts, and no device can send more than ${routing.maxParts}.`
    faults.push({ pointer: '/text', code: 'message_too_long', detail })
  }
  if (sender !== null && !routing.enabled && !isBlockedByEncoding) {
    const detail = 'No device of this account can send from this name or number.'
    faults.push({ pointer: '/from', code: 'sender_not_available', detail })
  }
  if (faults.length > 0 || priced === null)
    throw refuse('validation_failed', { errors: faults.slice(0, maxFaults) })
  return { body: valid as SendBody, recipients, choices, priced, sendAtMs, ...purse }
}

/** Whether the device that was chosen belongs to the account; its sender and encoding are judged apart. */
function isOwnDevice(
  { forAccount }: SendPorts['routing'],
  { accountId, mode }: Pick<Caller, 'accountId' | 'mode'>,
): boolean {
  const { enabled, shared } = forAccount(accountId, mode, null, false)
  return enabled && !shared
}

function readSendAt(text: string | null, nowMs: number, faults: Fault[]): number | null {
  const atMs = text === null ? null : parseInstant(text)
  if (typeof atMs !== 'number') return null
  if (atMs >= nowMs - longestPastMs && atMs <= nowMs + longestAheadMs) return atMs
  const detail = atMs < nowMs ? 'Must not be more than 60 s in the past.' : 'Must be within the next 30 days.'
  faults.push({ pointer: '/send_at', code: 'out_of_range', detail })
  return null
}

const priceValid = (text: string, body: Partial<SendBody>, faults: Fault[]): PricedText | null =>
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
 * Builds the request of a checked send, with its time and IDs. It must be stored in the same turn of the
 * event loop: no page of history may be read between taking the time and the store that announces it.
 */
export function buildRequest(
  { clock, ids, config, ports }: PrepareSendDeps,
  caller: Caller,
  { body, recipients, choices, priced, routing, paidBy, fallback, paidWarning, wait, sendAtMs }: CheckedSend,
  idempotency: SendRequest['idempotency'],
): SendRequest {
  const createdAt = clock.now()
  const category = body.category ?? 'transactional'
  const validitySeconds = body.validity_period ?? defaultValiditySeconds[category]
  const onUnknown = body.on_unknown ?? 'stop'
  const { mode } = caller
  const isScheduled = sendAtMs !== null && sendAtMs > createdAt
  const messageIds = recipients.map(() => ids('msg'))
  return {
    sendId: ids('snd'),
    messageIds,
    accountId: caller.accountId,
    mode,
    keyId: caller.keyId,
    dailyCap: caller.dailyCap,
    queueLimit: caller.queueLimit ?? config.queueLimit,
    createdAt,
    idempotency,
    ...drawWays(ports.routes, caller.accountId, recipients, { choices, messageIds }),
    from: body.from ?? null,
    category,
    text: priced.text,
    encoding: priced.encoding,
    ...(priced.encodingForced ? { encodingForced: true } : {}),
    units: priced.units,
    parts: priced.parts,
    ...(paidBy === 'own_device' ? { paidBy } : {}),
    ...(fallback === undefined ? {} : { fallback }),
    smartEncodingApplied: priced.smartEncodingApplied,
    onUnknown,
    ...(body.on_undelivered === 'next_way' && { onUndelivered: body.on_undelivered }),
    clientReference: body.client_reference ?? null,
    metadata: body.metadata === undefined ? '{}' : JSON.stringify(body.metadata),
    ...(isScheduled ? { sendAt: sendAtMs } : {}),
    expiresAt: (isScheduled ? sendAtMs : createdAt) + validitySeconds * 1000,
    warnings: [
      ...findWarnings(
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
      ...(paidWarning === undefined ? [] : [paidWarning]),
    ],
    lowBalanceWarning,
  }
}

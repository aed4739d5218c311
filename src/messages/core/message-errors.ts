/** Errors of messages. Clients must expect new codes; the server uses only these. */
export interface MessageErrorRule {
  /** Likely cause and what to do, for people. */
  summary: string
  /** True if the same message can succeed when it is sent again, without the risk of a duplicate. */
  retryable: boolean
}

const again = (summary: string): MessageErrorRule => ({ summary, retryable: true })
const never = (summary: string): MessageErrorRule => ({ summary, retryable: false })

export const messageErrors = {
  unreachable: again('The network could not reach the handset: it is probably off or out of coverage. Send again later, or use another way to reach the recipient.'),
  number_invalid: never('The network does not know this number. Check it with the recipient before you send to it again.'),
  recipient_blocked: never('The network does not deliver to this number: it is barred, or its contract has no SMS. Use another way to reach the recipient.'),
  content_rejected: never('The network rejected the text, usually as spam. Change the wording; avoid short links and text in capitals.'),
  network_rejected: never('The network rejected the message without a known reason. Ask the provider of the device about `network_code` before you send again.'),
  network_congested: again('The network was overloaded and gave up. Send again in a few minutes.'),
  no_service: again('The device had no mobile network. Move it to better coverage or check its SIM card, then send again.'),
  sim_blocked: again('The network does not let the SIM of the device send SMS: it is barred, its contract has no SMS, or its number is not in service. Ask its network, or use another device, then send again.'),
  radio_off: again('The radio of the device is off, for example in airplane mode. Switch it on, then send again.'),
  device_rate_limited: again('The device rejected the message because it had sent too many in a short time. Lower its rate limit or add a device, then send again.'),
  device_error: again('The device reported an internal error and submitted nothing. Check the device, then send again.'),
  device_unresponsive: never('The device did not report whether it submitted the message. It may have arrived: ask the recipient before you send again.'),
  device_unclear: never('The device reported a failure that does not show whether the message was sent; `network_code` has its original code. It may have arrived: ask the recipient before you send again.'),
  partially_sent: never('The network accepted some parts of the text and rejected the others. The recipient may see an incomplete text; send a shorter one if it matters.'),
  receipt_missing: never('The network accepted the message, but sent no delivery receipt. The message has usually arrived: ask the recipient before you send again.'),
  expired_in_queue: again('Its validity period ended before a device could submit it. Check GET /api/v1/status; send again with a longer `validity_period`, or when devices keep up.'),
  no_own_device: again('Only own devices could carry it for nothing, and the account had none that was enabled and could when its validity period ended. Connect or enable one that can use its sender and send again, or send with `fallback` `shared`.'),
  expired_in_network: again('Its validity period ended in the network: the handset was off or out of coverage. Send again later.'),
  recipient_opted_out: never('The recipient opted out. Do not send to this number until they opt in again.'),
  destination_not_allowed: never('While it waited, sending to this country or number was forbidden, by the countries of the account or a rule of its routes. Ask the operator to allow it.'),
  canceled_by_user: never('A user canceled it in the console before it was submitted.'),
  canceled_by_operator: never('The operator of this instance canceled it before it was submitted. Ask the operator for the reason.'),
  account_closed: never('The account was closed before the message was submitted.'),
  unknown: never('The cause is unknown. Ask the operator, with the message ID and its `network_code`.'),
} as const satisfies Record<string, MessageErrorRule> // prettier-ignore

export type MessageErrorCode = keyof typeof messageErrors

export const messageErrorCodes = Object.keys(messageErrors) as readonly MessageErrorCode[]

/**
 * Returns the rule of a stored code. A code that this version does not list is kept and described as
 * `unknown`.
 */
export const messageErrorRule = (code: string): MessageErrorRule =>
  Object.hasOwn(messageErrors, code) ? messageErrors[code as MessageErrorCode] : messageErrors.unknown

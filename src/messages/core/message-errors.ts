/** What may be the matter with a message: an open list for clients, a closed one here. */
export interface MessageErrorRule {
  /** The likely cause and what to do, for people. */
  says: string
  /** Whether the same message may succeed when it is sent again, with no risk that the recipient gets it twice. */
  retryable: boolean
}

const again = (says: string): MessageErrorRule => ({ says, retryable: true })
const never = (says: string): MessageErrorRule => ({ says, retryable: false })

export const messageErrors = {
  unreachable: again('The network could not reach the handset: it is probably switched off or out of coverage. Send again later, or use another way to reach the person.'),
  number_invalid: never('The network does not know this number. Check it with the recipient; do not send to it again.'),
  content_rejected: never('The network refused the text, usually as spam. Change the wording; leave out short links and all capitals.'),
  network_rejected: never('The network refused the message without a usable reason. Look `network_code` up with the operator of the device before you send again.'),
  network_congested: again('The network was overloaded and gave up. Send again in a few minutes.'),
  no_service: again('The device had no mobile network. Move it to better coverage or check its SIM card, then send again.'),
  radio_off: again('The radio of the device is off, for example in flight mode. Switch it on, then send again.'),
  device_rate_limited: again('The device refused because it had sent too much in a short time. Lower its pace or add a device, then send again.'),
  device_error: again('The device reported a fault of its own and submitted nothing. Look at the device, then send again.'),
  device_unresponsive: never('The device did not say whether it submitted the message. It may have arrived: ask the recipient before you send again.'),
  device_unclear: never('The device answered with a failure that does not tell whether the message was sent; `network_code` has its own word for it. It may have arrived: ask the recipient before you send again.'),
  partially_sent: never('The network took some parts of the text and refused the rest. The recipient may see a fragment; send a shorter text if it matters.'),
  receipt_missing: never('The network took the message and never said whether it arrived. It usually has: ask the recipient before you send again.'),
  expired_in_queue: again('Its validity ended before a device could submit it. Look at GET /api/v1/status; send again with a longer `validity_period` or when devices keep up.'),
  expired_in_network: again('The network kept the message until its validity ended: the handset was off or out of coverage. Send again later.'),
  recipient_opted_out: never('The recipient asked for no more messages. Do not send to this number until they opt in again.'),
  destination_not_allowed: never('When its time came, the account might not write to this country any more. Ask the operator to allow it.'),
  canceled_by_user: never('Someone canceled it in the console before it was submitted.'),
  canceled_by_operator: never('The operator of this service canceled it before it was submitted. Ask the operator for the reason.'),
  account_closed: never('The account was closed before the message was submitted.'),
  unknown: never('The cause is not known. Ask the operator with the id of the message and its `network_code`.'),
} as const satisfies Record<string, MessageErrorRule> // prettier-ignore

export type MessageErrorCode = keyof typeof messageErrors

export const messageErrorCodes = Object.keys(messageErrors) as readonly MessageErrorCode[]

/** What is known about a stored code. One that this version does not list is kept and explained as `unknown`. */
export const messageErrorRule = (code: string): MessageErrorRule =>
  Object.hasOwn(messageErrors, code) ? messageErrors[code as MessageErrorCode] : messageErrors.unknown

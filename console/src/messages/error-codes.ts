import type { MessageErrorCode } from '../../../src/messages/core/message-errors.ts'

/** Every cause of the server, in words for a list; one that is added there is missed here by the compiler. */
const labels: Readonly<Record<MessageErrorCode, string>> = {
  unreachable: 'Handset unreachable',
  number_invalid: 'Unknown number',
  content_rejected: 'Text refused',
  network_rejected: 'Refused by the network',
  network_congested: 'Network overloaded',
  no_service: 'Device without network',
  radio_off: 'Radio off',
  device_rate_limited: 'Device sent too fast',
  device_error: 'Fault of the device',
  device_unresponsive: 'Device did not say',
  device_unclear: 'Unclear failure of the device',
  partially_sent: 'Only some parts sent',
  receipt_missing: 'No receipt came',
  expired_in_queue: 'Expired while waiting',
  expired_in_network: 'Expired in the network',
  recipient_opted_out: 'Recipient said STOP',
  destination_not_allowed: 'Country not allowed',
  canceled_by_user: 'Canceled by a person',
  canceled_by_operator: 'Canceled by the operator',
  account_closed: 'Account closed',
  unknown: 'Cause unknown',
}

export const errorCodes = Object.entries(labels).map(([value, label]) => ({ value, label }))

/** A short name of a cause; its code when this version does not know it. */
export const labelOf = (code: string): string =>
  Object.hasOwn(labels, code) ? labels[code as MessageErrorCode] : code

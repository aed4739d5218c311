import type { MessageErrorCode } from '../../../src/messages/core/message-errors.ts'

/** Labels of all error codes of the server; the compiler reports a missing one. */
const labels: Readonly<Record<MessageErrorCode, string>> = {
  unreachable: 'Handset unreachable',
  number_invalid: 'Unknown number',
  recipient_blocked: 'Recipient barred',
  content_rejected: 'Content rejected',
  network_rejected: 'Rejected by the network',
  network_congested: 'Network overloaded',
  no_service: 'Device has no network',
  sim_blocked: 'SIM barred from sending',
  radio_off: 'Radio off',
  device_rate_limited: 'Device rate limited',
  device_error: 'Device error',
  device_unresponsive: 'Device did not respond',
  device_unclear: 'Unclear device error',
  partially_sent: 'Sent in part',
  receipt_missing: 'Receipt missing',
  expired_in_queue: 'Expired in the queue',
  no_own_device: 'Expired without an own device',
  expired_in_network: 'Expired in the network',
  recipient_opted_out: 'Recipient opted out',
  destination_not_allowed: 'Country not allowed',
  canceled_by_user: 'Canceled by a user',
  canceled_by_operator: 'Canceled by the operator',
  account_closed: 'Account closed',
  unknown: 'Unknown cause',
}

export const errorCodes = Object.entries(labels).map(([value, label]) => ({ value, label }))

/** Returns the label of an error code; the code itself when this version does not know it. */
export const labelOf = (code: string): string =>
  Object.hasOwn(labels, code) ? labels[code as MessageErrorCode] : code

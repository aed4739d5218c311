/**
 * What a result of Android's SmsManager means for a text of one part.
 * - `now`: the radio sent nothing; a later attempt or another phone may succeed.
 * - `limit`: the phone's limit was reached, and lasts for a while; another phone may send it immediately.
 * - `good`: the radio sent nothing, and no phone would send it.
 * - `rejected`: the network rejected it: nothing was sent, and it fails immediately.
 * - `unknown`: the radio may or may not have sent it.
 */
export type ResultClass = 'now' | 'limit' | 'good' | 'rejected' | 'unknown'

export interface ResultMeaning {
  number: number
  class: ResultClass
  /** A code of messages/message-errors.ts. */
  code: string
  /** What happened and what to do, for the operator of the phone. */
  summary: string
}

const row =
  (of: ResultClass, code: string) =>
  (number: number, summary: string): ResultMeaning => ({ number, class: of, code, summary })

const noService = row('now', 'no_service')
const radioOff = row('now', 'radio_off')
const tooFast = row('now', 'device_rate_limited')
const tooMany = row('limit', 'device_rate_limited')
const phoneFault = row('now', 'device_error')
const wrongText = row('good', 'content_rejected')
const wrongNumber = row('good', 'number_invalid')
const rejected = row('rejected', 'network_rejected')
const unclear = row('unknown', 'device_unclear')

const again = 'Nothing was sent; it is retried, also on another phone.'
const resting =
  'Nothing was sent; another phone may send it immediately, and this one pauses until its limit is over.'
const open = 'It may have been sent, so it is never sent again.'

/** Every result of a send in android.telephony.SmsManager, up to Android 14 (API level 34), by its name there. */
export const sendResults = {
  RESULT_ERROR_GENERIC_FAILURE: unclear(1, `The modem or the network failed without a reason: often no credit, a wrong SMSC number or a blocked SIM. ${open} Send an SMS by hand with the same SIM.`),
  RESULT_ERROR_RADIO_OFF: radioOff(2, `The radio is off, usually flight mode. ${again} Switch off flight mode.`),
  RESULT_ERROR_NULL_PDU: phoneFault(3, `Android could not encode the text for sending. ${again} Restart the phone.`),
  RESULT_ERROR_NO_SERVICE: noService(4, `The phone has no network. ${again} Check its coverage and the SIM.`),
  RESULT_ERROR_LIMIT_EXCEEDED: tooMany(5, `Android's own limit of about 30 SMS per app in 30 minutes was reached. ${resting} Lower the rate limit of the device, or raise the limit on the phone.`),
  RESULT_ERROR_FDN_CHECK_FAILURE: phoneFault(6, `The SIM allows only fixed dialling numbers (FDN). ${again} Switch off FDN in the SIM settings.`),
  RESULT_ERROR_SHORT_CODE_NOT_ALLOWED: wrongNumber(7, 'A user denied this premium number on the phone. Nothing was sent.'),
  RESULT_ERROR_SHORT_CODE_NEVER_ALLOWED: wrongNumber(8, 'Premium numbers are permanently denied to the app. Nothing was sent.'),
  RESULT_RADIO_NOT_AVAILABLE: radioOff(9, `The radio was not available. ${again} Restart the phone if it persists.`),
  RESULT_NETWORK_REJECT: rejected(10, 'The network rejected it. Ask the carrier of the SIM; a SIM that sends many messages may be blocked.'),
  RESULT_INVALID_ARGUMENTS: unclear(11, `The modem rejected the request as invalid. ${open}`),
  RESULT_INVALID_STATE: unclear(12, `The modem was in a state that it did not expect. ${open} Restart the phone if it persists.`),
  RESULT_NO_MEMORY: unclear(13, `The phone ran out of memory. ${open} Restart the phone.`),
  RESULT_INVALID_SMS_FORMAT: unclear(14, `The modem reported a malformed SMS. ${open}`),
  RESULT_SYSTEM_ERROR: unclear(15, `Android failed. ${open} Restart the phone if it persists.`),
  RESULT_MODEM_ERROR: unclear(16, `The modem failed. ${open} Restart the phone if it persists.`),
  RESULT_NETWORK_ERROR: unclear(17, `The network failed. ${open}`),
  RESULT_ENCODING_ERROR: wrongText(18, 'The text could not be encoded. Nothing was sent; remove unusual characters.'),
  RESULT_INVALID_SMSC_ADDRESS: phoneFault(19, `The SIM has a wrong SMSC number. ${again} Set the carrier's number.`),
  RESULT_OPERATION_NOT_ALLOWED: unclear(20, `The phone does not allow it. ${open} Check the permissions of the app.`),
  RESULT_INTERNAL_ERROR: unclear(21, `Android had an internal error. ${open}`),
  RESULT_NO_RESOURCES: unclear(22, `The phone or the network ran out of resources. ${open}`),
  RESULT_CANCELLED: unclear(23, `The phone canceled it while sending. ${open}`),
  RESULT_REQUEST_NOT_SUPPORTED: phoneFault(24, `The modem cannot send SMS in this way. ${again} Does the SIM allow SMS?`),
  RESULT_NO_BLUETOOTH_SERVICE: phoneFault(25, `The phone sends by Bluetooth, which is off. ${again} Choose a SIM of the phone.`),
  RESULT_INVALID_BLUETOOTH_ADDRESS: phoneFault(26, `The phone sends by Bluetooth to an invalid address. ${again} Choose a SIM of the phone.`),
  RESULT_BLUETOOTH_DISCONNECTED: unclear(27, `The Bluetooth device that was to send was lost. ${open}`),
  RESULT_UNEXPECTED_EVENT_STOP_SENDING: tooMany(28, `The phone asked whether the app may send this many messages, and a user denied it or did not answer. ${resting} Lower the rate limit of the device.`),
  RESULT_SMS_BLOCKED_DURING_EMERGENCY: noService(29, `An emergency call was active. ${again}`),
  RESULT_SMS_SEND_RETRY_FAILED: unclear(30, `Android tried several times. ${open}`),
  RESULT_REMOTE_EXCEPTION: unclear(31, `The telephony service of the phone stopped during the send. ${open}`),
  RESULT_NO_DEFAULT_SMS_APP: phoneFault(32, `The phone has no default SMS app. ${again} Choose one in the settings of the phone.`),
  RESULT_USER_NOT_ALLOWED: phoneFault(33, `The SIM belongs to another user or profile of the phone. ${again} Run the app in the profile that has the SIM.`),
  RESULT_RIL_RADIO_NOT_AVAILABLE: radioOff(100, `The radio did not start or was resetting. ${again}`),
  RESULT_RIL_SMS_SEND_FAIL_RETRY: unclear(101, `The radio failed and asked for a retry. ${open}`),
  RESULT_RIL_NETWORK_REJECT: rejected(102, 'The network rejected it. Ask the carrier of the SIM; a SIM that sends many messages may be blocked.'),
  RESULT_RIL_INVALID_STATE: unclear(103, `The radio was in a state that it did not expect. ${open}`),
  RESULT_RIL_INVALID_ARGUMENTS: unclear(104, `The radio rejected the request as invalid. ${open}`),
  RESULT_RIL_NO_MEMORY: unclear(105, `The radio ran out of memory. ${open} Restart the phone.`),
  RESULT_RIL_REQUEST_RATE_LIMITED: tooFast(106, `The radio got too many requests. ${again} Lower the rate limit of the device.`),
  RESULT_RIL_INVALID_SMS_FORMAT: unclear(107, `The radio reported a malformed SMS. ${open}`),
  RESULT_RIL_SYSTEM_ERR: unclear(108, `The platform of the radio failed. ${open}`),
  RESULT_RIL_ENCODING_ERR: wrongText(109, 'The radio could not encode the text. Nothing was sent; remove unusual characters.'),
  RESULT_RIL_INVALID_SMSC_ADDRESS: phoneFault(110, `The SIM has a wrong SMSC number. ${again} Set the carrier's number.`),
  RESULT_RIL_MODEM_ERR: unclear(111, `The modem failed. ${open} Restart the phone if it persists.`),
  RESULT_RIL_NETWORK_ERR: unclear(112, `The network failed. ${open}`),
  RESULT_RIL_INTERNAL_ERR: unclear(113, `The modem had an internal error. ${open}`),
  RESULT_RIL_REQUEST_NOT_SUPPORTED: phoneFault(114, `The radio cannot send SMS in this way. ${again} Does the SIM allow SMS?`),
  RESULT_RIL_INVALID_MODEM_STATE: unclear(115, `The modem could not send in its current state. ${open}`),
  RESULT_RIL_NETWORK_NOT_READY: noService(116, `The network was not ready. ${again}`),
  RESULT_RIL_OPERATION_NOT_ALLOWED: unclear(117, `The radio does not allow it. ${open}`),
  RESULT_RIL_NO_RESOURCES: unclear(118, `The radio or the network ran out of resources. ${open}`),
  RESULT_RIL_CANCELLED: unclear(119, `The radio canceled it while sending. ${open}`),
  RESULT_RIL_SIM_ABSENT: noService(120, `There is no SIM in the phone. ${again} Insert one.`),
  RESULT_RIL_SIMULTANEOUS_SMS_AND_CALL_NOT_ALLOWED: noService(121, `The phone cannot call and send at the same time. ${again}`),
  RESULT_RIL_ACCESS_BARRED: noService(122, `The network bars the phone at the moment. ${again}`),
  RESULT_RIL_BLOCKED_DUE_TO_CALL: rejected(123, 'The call control of the network rejected it. Ask the carrier of the SIM.'),
  RESULT_RIL_GENERIC_ERROR: unclear(124, `The radio failed without a reason. ${open} Send an SMS by hand with the same SIM.`),
  RESULT_RIL_INVALID_RESPONSE: unclear(125, `The response of the radio was invalid. ${open}`),
  RESULT_RIL_SIM_PIN2: phoneFault(126, `The SIM asks for its PIN2. ${again} Enter it on the phone.`),
  RESULT_RIL_SIM_PUK2: phoneFault(127, `The SIM asks for its PUK2. ${again} Enter it on the phone.`),
  RESULT_RIL_SUBSCRIPTION_NOT_AVAILABLE: noService(128, `The phone finds no subscription. ${again} Check the SIM.`),
  RESULT_RIL_SIM_ERROR: unclear(129, `The SIM failed. ${open} Check the SIM.`),
  RESULT_RIL_INVALID_SIM_STATE: noService(130, `The SIM is not ready. ${again} Is it unlocked?`),
  RESULT_RIL_NO_SMS_TO_ACK: unclear(131, `The radio reported about another SMS. ${open}`),
  RESULT_RIL_SIM_BUSY: unclear(132, `The SIM was busy. ${open}`),
  RESULT_RIL_SIM_FULL: unclear(133, `The SIM is full. ${open} Delete the SMS stored on the SIM.`),
  RESULT_RIL_NO_SUBSCRIPTION: noService(134, `The phone has no subscription. ${again} Check the SIM.`),
  RESULT_RIL_NO_NETWORK_FOUND: noService(135, `The phone finds no network. ${again} Check its coverage.`),
  RESULT_RIL_DEVICE_IN_USE: unclear(136, `The radio was used by something else. ${open}`),
  RESULT_RIL_ABORTED: unclear(137, `The radio aborted it. ${open}`),
} as const satisfies Record<string, ResultMeaning> // prettier-ignore

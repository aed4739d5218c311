/**
 * What a result of Android's SmsManager tells of a text of one part.
 * - `now`: the radio sent nothing; later or elsewhere it may go.
 * - `limit`: the phone let no more out, and lets none out for a while; elsewhere it may go at once.
 * - `good`: the radio sent nothing, and no phone would send it.
 * - `rejected`: the network was asked and said no: nothing was sent, and it fails at once.
 * - `unknown`: the radio may or may not have sent it.
 */
export type ResultClass = 'now' | 'limit' | 'good' | 'rejected' | 'unknown'

export interface ResultMeaning {
  number: number
  class: ResultClass
  /** A code of messages/message-errors.ts. */
  code: string
  /** What happened and what to do about it, for the operator of the phone. */
  says: string
}

const row =
  (of: ResultClass, code: string) =>
  (number: number, says: string): ResultMeaning => ({ number, class: of, code, says })

const noService = row('now', 'no_service')
const radioOff = row('now', 'radio_off')
const tooFast = row('now', 'device_rate_limited')
const tooMany = row('limit', 'device_rate_limited')
const phoneFault = row('now', 'device_error')
const wrongText = row('good', 'content_rejected')
const wrongNumber = row('good', 'number_invalid')
const rejected = row('rejected', 'network_rejected')
const nobodyKnows = row('unknown', 'device_unclear')

const again = 'Nothing was sent; it is tried again, on another phone too.'
const resting =
  'Nothing was sent; another phone may send it at once, and this one rests until its limit is over.'
const open = 'It may have gone out, so it is never sent again.'

/** Every result of a send in android.telephony.SmsManager, up to Android 14 (API level 34), by its name there. */
export const sendResults = {
  RESULT_ERROR_GENERIC_FAILURE: nobodyKnows(1, `The modem or the network failed and did not say why: often no credit, a wrong SMSC number or a blocked SIM. ${open} Send an SMS by hand with the same SIM.`),
  RESULT_ERROR_RADIO_OFF: radioOff(2, `The radio is off, usually flight mode. ${again} Switch flight mode off.`),
  RESULT_ERROR_NULL_PDU: phoneFault(3, `Android made nothing to send of the text. ${again} Restart the phone.`),
  RESULT_ERROR_NO_SERVICE: noService(4, `The phone has no network. ${again} Look at its coverage and at the SIM.`),
  RESULT_ERROR_LIMIT_EXCEEDED: tooMany(5, `Android's own limit of about 30 SMS in 30 minutes for an app was reached. ${resting} Lower the pace of the device, or raise the limit of the phone.`),
  RESULT_ERROR_FDN_CHECK_FAILURE: phoneFault(6, `The SIM only lets fixed numbers (FDN) be reached. ${again} Switch FDN off in the SIM settings.`),
  RESULT_ERROR_SHORT_CODE_NOT_ALLOWED: wrongNumber(7, 'Somebody denied this premium number on the phone. Nothing was sent.'),
  RESULT_ERROR_SHORT_CODE_NEVER_ALLOWED: wrongNumber(8, 'Premium numbers are denied to the app for good. Nothing was sent.'),
  RESULT_RADIO_NOT_AVAILABLE: radioOff(9, `The radio was not available. ${again} Restart the phone if it stays.`),
  RESULT_NETWORK_REJECT: rejected(10, 'The network refused it. Ask the carrier of the SIM; a SIM that sends much may be blocked.'),
  RESULT_INVALID_ARGUMENTS: nobodyKnows(11, `The modem did not like the request. ${open}`),
  RESULT_INVALID_STATE: nobodyKnows(12, `The modem was in a state that it did not expect. ${open} Restart the phone if it stays.`),
  RESULT_NO_MEMORY: nobodyKnows(13, `The phone ran out of memory. ${open} Restart the phone.`),
  RESULT_INVALID_SMS_FORMAT: nobodyKnows(14, `The modem called the SMS malformed. ${open}`),
  RESULT_SYSTEM_ERROR: nobodyKnows(15, `Android had a fault. ${open} Restart the phone if it stays.`),
  RESULT_MODEM_ERROR: nobodyKnows(16, `The modem had a fault. ${open} Restart the phone if it stays.`),
  RESULT_NETWORK_ERROR: nobodyKnows(17, `The network had a fault. ${open}`),
  RESULT_ENCODING_ERROR: wrongText(18, 'The text could not be encoded. Nothing was sent; leave unusual characters out.'),
  RESULT_INVALID_SMSC_ADDRESS: phoneFault(19, `The SIM holds a wrong SMSC number. ${again} Set the one of the carrier.`),
  RESULT_OPERATION_NOT_ALLOWED: nobodyKnows(20, `The phone does not allow it. ${open} Look at the permissions of the app.`),
  RESULT_INTERNAL_ERROR: nobodyKnows(21, `Android had a fault within. ${open}`),
  RESULT_NO_RESOURCES: nobodyKnows(22, `The phone or the network had no resources left. ${open}`),
  RESULT_CANCELLED: nobodyKnows(23, `The phone canceled it on the way. ${open}`),
  RESULT_REQUEST_NOT_SUPPORTED: phoneFault(24, `The modem cannot send SMS in this way. ${again} Does the SIM allow SMS?`),
  RESULT_NO_BLUETOOTH_SERVICE: phoneFault(25, `The phone sends by Bluetooth, which is off. ${again} Choose a SIM of the phone.`),
  RESULT_INVALID_BLUETOOTH_ADDRESS: phoneFault(26, `The phone sends by Bluetooth and does not know where. ${again} Choose a SIM of the phone.`),
  RESULT_BLUETOOTH_DISCONNECTED: nobodyKnows(27, `The Bluetooth device that was to send was lost. ${open}`),
  RESULT_UNEXPECTED_EVENT_STOP_SENDING: tooMany(28, `Somebody denied it, or nobody answered, when the phone asked whether the app may send so much. ${resting} Lower the pace of the device.`),
  RESULT_SMS_BLOCKED_DURING_EMERGENCY: noService(29, `An emergency call was under way. ${again}`),
  RESULT_SMS_SEND_RETRY_FAILED: nobodyKnows(30, `Android tried several times. ${open}`),
  RESULT_REMOTE_EXCEPTION: nobodyKnows(31, `The telephony service of the phone ended meanwhile. ${open}`),
  RESULT_NO_DEFAULT_SMS_APP: phoneFault(32, `The phone has no standard app for SMS. ${again} Choose one in the settings of the phone.`),
  RESULT_USER_NOT_ALLOWED: phoneFault(33, `The SIM belongs to another user or profile of the phone. ${again} Run the app in the profile that has the SIM.`),
  RESULT_RIL_RADIO_NOT_AVAILABLE: radioOff(100, `The radio did not start or was resetting. ${again}`),
  RESULT_RIL_SMS_SEND_FAIL_RETRY: nobodyKnows(101, `The radio failed and wanted to try again. ${open}`),
  RESULT_RIL_NETWORK_REJECT: rejected(102, 'The network refused it. Ask the carrier of the SIM; a SIM that sends much may be blocked.'),
  RESULT_RIL_INVALID_STATE: nobodyKnows(103, `The radio was in a state that it did not expect. ${open}`),
  RESULT_RIL_INVALID_ARGUMENTS: nobodyKnows(104, `The radio did not like the request. ${open}`),
  RESULT_RIL_NO_MEMORY: nobodyKnows(105, `The radio ran out of memory. ${open} Restart the phone.`),
  RESULT_RIL_REQUEST_RATE_LIMITED: tooFast(106, `The radio was asked too often. ${again} Lower the pace of the device.`),
  RESULT_RIL_INVALID_SMS_FORMAT: nobodyKnows(107, `The radio called the SMS malformed. ${open}`),
  RESULT_RIL_SYSTEM_ERR: nobodyKnows(108, `The platform of the radio had a fault. ${open}`),
  RESULT_RIL_ENCODING_ERR: wrongText(109, 'The radio could not encode the text. Nothing was sent; leave unusual characters out.'),
  RESULT_RIL_INVALID_SMSC_ADDRESS: phoneFault(110, `The SIM holds a wrong SMSC number. ${again} Set the one of the carrier.`),
  RESULT_RIL_MODEM_ERR: nobodyKnows(111, `The modem had a fault. ${open} Restart the phone if it stays.`),
  RESULT_RIL_NETWORK_ERR: nobodyKnows(112, `The network had a fault. ${open}`),
  RESULT_RIL_INTERNAL_ERR: nobodyKnows(113, `The modem had a fault within. ${open}`),
  RESULT_RIL_REQUEST_NOT_SUPPORTED: phoneFault(114, `The radio cannot send SMS in this way. ${again} Does the SIM allow SMS?`),
  RESULT_RIL_INVALID_MODEM_STATE: nobodyKnows(115, `The modem could not do it in its state. ${open}`),
  RESULT_RIL_NETWORK_NOT_READY: noService(116, `The network was not ready. ${again}`),
  RESULT_RIL_OPERATION_NOT_ALLOWED: nobodyKnows(117, `The radio does not allow it. ${open}`),
  RESULT_RIL_NO_RESOURCES: nobodyKnows(118, `The radio or the network had no resources left. ${open}`),
  RESULT_RIL_CANCELLED: nobodyKnows(119, `The radio canceled it on the way. ${open}`),
  RESULT_RIL_SIM_ABSENT: noService(120, `There is no SIM in the phone. ${again} Put one in.`),
  RESULT_RIL_SIMULTANEOUS_SMS_AND_CALL_NOT_ALLOWED: noService(121, `The phone cannot call and send at once. ${again}`),
  RESULT_RIL_ACCESS_BARRED: noService(122, `The network bars the phone for the moment. ${again}`),
  RESULT_RIL_BLOCKED_DUE_TO_CALL: rejected(123, 'The call control of the network refused it. Ask the carrier of the SIM.'),
  RESULT_RIL_GENERIC_ERROR: nobodyKnows(124, `The radio failed and did not say why. ${open} Send an SMS by hand with the same SIM.`),
  RESULT_RIL_INVALID_RESPONSE: nobodyKnows(125, `The answer of the radio made no sense. ${open}`),
  RESULT_RIL_SIM_PIN2: phoneFault(126, `The SIM asks for its PIN2. ${again} Enter it on the phone.`),
  RESULT_RIL_SIM_PUK2: phoneFault(127, `The SIM asks for its PUK2. ${again} Enter it on the phone.`),
  RESULT_RIL_SUBSCRIPTION_NOT_AVAILABLE: noService(128, `The phone finds no subscription. ${again} Look at the SIM.`),
  RESULT_RIL_SIM_ERROR: nobodyKnows(129, `The SIM had a fault. ${open} Look at the SIM.`),
  RESULT_RIL_INVALID_SIM_STATE: noService(130, `The SIM is not ready. ${again} Is it unlocked?`),
  RESULT_RIL_NO_SMS_TO_ACK: nobodyKnows(131, `The radio spoke of another SMS. ${open}`),
  RESULT_RIL_SIM_BUSY: nobodyKnows(132, `The SIM was busy. ${open}`),
  RESULT_RIL_SIM_FULL: nobodyKnows(133, `The SIM is full. ${open} Delete the SMS that are stored on the SIM.`),
  RESULT_RIL_NO_SUBSCRIPTION: noService(134, `The phone has no subscription. ${again} Look at the SIM.`),
  RESULT_RIL_NO_NETWORK_FOUND: noService(135, `The phone finds no network. ${again} Look at its coverage.`),
  RESULT_RIL_DEVICE_IN_USE: nobodyKnows(136, `The radio was used by something else. ${open}`),
  RESULT_RIL_ABORTED: nobodyKnows(137, `The radio broke off. ${open}`),
} as const satisfies Record<string, ResultMeaning> // prettier-ignore

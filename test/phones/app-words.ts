/**
 * What the app says of a failure, word for word: `resultToErrorMessage` and `processStateIntent` of its MessagesService.kt (SMSGate 1.68; the same since
 * 1.40). The number of the service centre is invented.
 */
export const appWords = {
  genericFailure: 'Send result: RESULT_ERROR_GENERIC_FAILURE (Generic failure cause)',
  radioOff: 'Send result: RESULT_ERROR_RADIO_OFF (Failed because radio was explicitly turned off)',
  limitExceeded:
    'Send result: RESULT_ERROR_LIMIT_EXCEEDED (Failed because we reached the sending queue limit)',
  networkReject: 'Send result: RESULT_NETWORK_REJECT (Failed because of network rejection)',
  /** The status report of the network: `status` is a TP-Status (3GPP TS 23.040, section 9.2.3.15). */
  reported: (status: number) => `Delivery result from SC +491710760000: ${status}`,
  expired: 'TTL expired',
} as const

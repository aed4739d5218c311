import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeFailure } from '../../src/connectors/android/failure.ts'
import { type ResultMeaning, sendResults } from '../../src/connectors/android/send-results.ts'
import { messageErrorCodes } from '../../src/messages/core/message-errors.ts'
import { scalarValue } from '../scalar-value.ts'

const judge = (error: string | null, more: { parts?: number } = {}) =>
  judgeFailure(error, { parts: 1, ...more })
const results = Object.entries<ResultMeaning>(sendResults)

test('what failed before the radio is a refusal', () => {
  expect(judge('TTL expired')).toEqual({
    kind: 'refused',
    lasts: 'expired',
    code: 'expired_in_queue',
    networkCode: 'TTL expired',
  })
  expect(judge("Can't send message: SIM 2 not found")).toMatchObject({
    kind: 'refused',
    lasts: 'now',
    code: 'no_service',
  })
  expect(judge('sendSMS: Sending SMS message: uid 10233 does not have SEND_SMS.')).toEqual({
    kind: 'refused',
    lasts: 'now',
    code: 'device_error',
    networkCode: 'Sending SMS message: uid … does not have SEND_SMS.',
  })
  expect(
    judge('Send result: RESULT_ERROR_NO_SERVICE (Failed because service is currently unavailable)'),
  ).toEqual({ kind: 'refused', lasts: 'now', code: 'no_service', networkCode: 'RESULT_ERROR_NO_SERVICE' })
  expect(judge('Send result: RESULT_ERROR_RADIO_OFF (…)')).toMatchObject({
    kind: 'refused',
    code: 'radio_off',
  })
  expect(judge('Send result: RESULT_ERROR_LIMIT_EXCEEDED (…)')).toMatchObject({
    kind: 'refused',
    lasts: 'busy',
    code: 'device_rate_limited',
    limitReached: true,
  })
  expect(judge('Send result: RESULT_ERROR_LIMIT_EXCEEDED (…)', { parts: 2 })).toMatchObject({
    kind: 'unknown',
    limitReached: true,
  })
  expect(judge('Send result: RESULT_RIL_REQUEST_RATE_LIMITED')).toMatchObject({ lasts: 'now' })
})

test('a failure that may have gone out is unknown', () => {
  expect(judge('Send result: RESULT_ERROR_GENERIC_FAILURE (Generic failure cause)')).toEqual({
    kind: 'unknown',
    networkIds: [],
    partsTaken: 0,
    detail: 'The phone could not determine whether it was sent (RESULT_ERROR_GENERIC_FAILURE).',
    answered: { networkCode: 'RESULT_ERROR_GENERIC_FAILURE' },
  })
  for (const words of [null, '', 'Something else', 'Send result: Unknown error code: 4711.'])
    expect(judge(words), String(words)).toMatchObject({ kind: 'unknown', answered: {} })
  expect(judge('Something else')).toMatchObject({ answered: { networkCode: null } })
  expect(judge('Send result: Unknown error code: 4711.')).toMatchObject({
    detail: expect.stringContaining('4711'),
    answered: { networkCode: 'result 4711' },
  })
  expect(judge('Send result: RESULT_OF_A_VENDOR')).toMatchObject({
    kind: 'unknown',
    detail: expect.stringContaining('RESULT_OF_A_VENDOR'),
    answered: { networkCode: 'RESULT_OF_A_VENDOR' },
  })
})

test('a result that the app only numbers is read by its number', () => {
  expect(judge('Send result: Unknown error code: 135.')).toMatchObject({
    kind: 'refused',
    networkCode: 'RESULT_RIL_NO_NETWORK_FOUND',
  })
})

test('what the network refused was never sent', () => {
  expect(judge('Send result: RESULT_NETWORK_REJECT (Failed because of network rejection)')).toEqual({
    kind: 'refused',
    lasts: 'good',
    code: 'network_rejected',
    networkCode: 'RESULT_NETWORK_REJECT',
    // Mostly to the SIM: five in a row tell against the phone.
    deviceAlone: true,
  })
})

test('what a delivery report speaks of is undelivered', () => {
  for (const [words, code, networkCode] of [
    ['Delivery result from SC +491710760000: 65', 'network_rejected', 'tp_status 65'],
    ['Delivery result from SC +491710760000: 70', 'expired_in_network', 'tp_status 70'],
    ['Delivery result from SC null: 96', 'network_congested', 'tp_status 96'],
    ['Delivery result from SC 0049171: 98', 'unreachable', 'tp_status 98'],
    // A result of Android, and no status of the network.
    ['Delivery result: 70', 'unreachable', 'result 70'],
    ['Delivery result: 1', 'unreachable', 'RESULT_ERROR_GENERIC_FAILURE'],
    ['Delivery result: -1', 'unreachable', 'result -1'],
    ['Delivery result: permanent error', 'unreachable', null],
  ] as const)
    expect(judge(words), words).toEqual({ kind: 'undelivered', code, networkCode })
  expect(judge('Delivery result from SC +491710760000: 65', { parts: 3 })).toMatchObject({
    kind: 'undelivered',
  })
})

test('a bad result of a text of several parts never frees it for another phone', () => {
  for (const [name] of results) {
    expect(judge(`Send result: ${name} (…)`, { parts: 2 }), name).toMatchObject({
      kind: 'unknown',
      detail: expect.stringContaining(name),
    })
  }
})

test('each result has a number of its own, a code that exists, and a sentence', () => {
  expect(results).toHaveLength(71)
  expect(new Set(results.map(([, { number }]) => number)).size).toBe(results.length)
  for (const [name, { class: of, code, summary }] of results) {
    expect(code === 'device_unclear', name).toBe(of === 'unknown')
    expect(messageErrorCodes, name).toContain(code)
    expect(summary, name).toMatch(/^[A-Z].*[.?]$/)
  }
})

test('no words make it throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: scalarValue, maxLength: 5_000 })), (words) => {
      expect(['refused', 'undelivered', 'unknown']).toContain(judge(words).kind)
    }),
  )
})

import { expect, test } from 'vitest'
import { judgeFailure } from '../../src/connectors/android/failure.ts'
import { registrationOf } from './phone-fixture.ts'
import { openRoutesHouse } from './routes-house.ts'
import { received } from './said-by-app.ts'

/**
 * What people have reported of phones as SMS gateways, in public, tried here: restated, with numbers and ids of our own. The words of failures are the
 * app's (`resultToErrorMessage` of its MessagesService.kt). docs/reliability.md lists these reports, and those that other files hold.
 */

test.for([0, 5_000])(
  'capcom6/android-sms-gateway#288, #301, #310, #372, textbee/textbee#159: an SMS that is told a second time under another id, %i ms later, is one',
  async (laterMs) => {
    const { hook, store, clock } = await openRoutesHouse()
    await hook('sms:received', { ...received, message: '123' }, { id: 'one' })
    await clock.advance(laterMs)
    await hook('sms:received', { ...received, message: '123' }, { id: 'two' })
    const [first, second] = store.inbound
    expect(second?.fingerprint).toBe(first?.fingerprint)
  },
)

test('capcom6/android-sms-gateway#394: what a tracker says again and again is a message each time', async () => {
  const { hook, store } = await openRoutesHouse()
  for (const second of ['58', '59'])
    await hook('sms:received', { ...received, message: 'TACHO 0', receivedAt: `2026-11-21T12:29:${second}.000+03:00` })
  expect(new Set(store.inbound.map(({ fingerprint }) => fingerprint)).size).toBe(2)
}) // prettier-ignore

test('signalapp/Signal-Android#1666: SMS that are all dated 31 December 1969 have no date, and are as many as were told', async () => {
  const { hook, store } = await openRoutesHouse()
  for (const id of ['one', 'two'])
    await hook('sms:received', { ...received, receivedAt: '1969-12-31T16:00:00.000-08:00' }, { id })
  expect(store.inbound.map(({ networkAt }) => networkAt)).toEqual([null, null])
  expect(new Set(store.inbound.map(({ fingerprint }) => fingerprint)).size).toBe(2)
})

test.for([
  ['2026-11-21T06:00:00.000+-3:-30', '2026-11-21T09:30:00.000Z'],
  ['2026-11-21T04:30:00.000+-5:00', '2026-11-21T09:30:00.000Z'],
  ['2026-11-21T15:00:00.000+05:30', '2026-11-21T09:30:00.000Z'],
] as const)('capcom6/android-sms-gateway#66: the date of an Android before 7 is read in any zone: %s', async ([receivedAt, at]) => {
  const { hook, store } = await openRoutesHouse()
  await hook('sms:received', { ...received, receivedAt })
  expect(store.inbound.map((inbound) => inbound.networkAt)).toEqual([Date.parse(at)])
}) // prettier-ignore

test('gammu/gammu#132, signalapp/Signal-Android#1543: the clock of an SMSC that is hours ahead dates nothing into the future', async () => {
  const { hook, store, clock } = await openRoutesHouse()
  await hook('sms:received', { ...received, receivedAt: new Date(clock.now() + 3 * 3_600_000).toISOString() })
  expect(store.inbound.map(({ networkAt }) => networkAt)).toEqual([clock.now()])
})

test('frimtec/secure-sms-proxy#49: a sender whose plus its carrier has left out is said to be bare digits', async () => {
  const { hook, store } = await openRoutesHouse()
  store.registration = registrationOf({ country: 'DE' })
  await hook('sms:received', { ...received, sender: '4915550007777' })
  expect(store.inbound).toMatchObject([{ from: '4915550007777', fromIs: 'bare' }])
})

test('capcom6/android-sms-gateway#264: what a phone tells of each part of a long message is answered, and counts for nothing', async () => {
  const { hook, store } = await openRoutesHouse()
  for (const id of ['one', 'two', 'three'])
    expect(
      await hook('sms:delivered', { messageId: 'att_1', deliveredAt: received.receivedAt }, { id }),
    ).toMatchObject({ status: 204 })
  expect([store.inbound, store.sent]).toEqual([[], []])
})

const failed = (result: string, parts = 1) => judgeFailure(`Send result: ${result}`, { parts })

test.for([
  ['#107, #246, #406', 'RESULT_ERROR_GENERIC_FAILURE', 'RESULT_ERROR_GENERIC_FAILURE (Generic failure cause)'],
  ['#57, of a SIM that its provider has shut off', 'RESULT_RIL_MODEM_ERR', 'RESULT_RIL_MODEM_ERR (Failed)'],
  ['#241, of numbers of one country', 'RESULT_MODEM_ERROR', 'RESULT_MODEM_ERROR (Failed)'],
] as const)('capcom6/android-sms-gateway%s: nobody knows what became of it, it goes to no other phone, and its name is kept: %s', ([, name, explained]) => {
  const unknown = { kind: 'unknown', answered: { networkCode: name } }
  for (const result of [name, explained]) expect(failed(result)).toMatchObject(unknown)
}) // prettier-ignore

test('android-sms-gateway/client-ts#44: without a SIM that is chosen for SMS nothing was sent, and another phone may have it', () => {
  expect(failed('RESULT_NO_DEFAULT_SMS_APP (Set default SMS app)')).toMatchObject({
    kind: 'refused',
    lasts: 'now',
    code: 'device_error',
    networkCode: 'RESULT_NO_DEFAULT_SMS_APP',
  })
})

test.for(['RESULT_ERROR_LIMIT_EXCEEDED (Failed because we reached the sending queue limit)', 'Unknown error code: 5.'])(
  'capcom6/android-sms-gateway#81, #223, #270: past the limit of Android the phone rests; what has parts goes to nobody else: %s',
  (result) => {
    expect(failed(result)).toMatchObject({ kind: 'refused', lasts: 'busy', limitReached: true })
    expect(failed(result, 9)).toMatchObject({ kind: 'unknown', limitReached: true })
  },
) // prettier-ignore

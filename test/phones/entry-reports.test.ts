import { expect, test } from 'vitest'
import { reportsIn } from '../../src/connectors/android/local/entry-reports.ts'
import { openDeskHouse } from './gateway-fixture.ts'

/**
 * An entry of GET /message/{id} of a text of two parts, of which Android sent the first and refused the second:
 * MessagesService.kt of the app (1.68, 0cdc5d8) keeps the time of each state, and Failed is the last one.
 */
const entryOf = (id: string) => ({
  id,
  state: 'Failed',
  recipients: [
    {
      phoneNumber: '+4915112345678',
      state: 'Failed',
      error: 'Send result: RESULT_ERROR_GENERIC_FAILURE (Generic failure cause)',
    },
  ],
  states: {
    Pending: '2026-11-21T09:30:00.000+00:00',
    Processed: '2026-11-21T09:30:01.000+00:00',
    Sent: '2026-11-21T09:30:02.000+00:00',
    Failed: '2026-11-21T09:30:03.000+00:00',
  },
})

test('a failure after the network had accepted the message is charged and never sent again', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ to: ['+4915112345678'] })
  const [offer] = await house.pull(phone)
  await house.report(phone, ...reportsIn(entryOf(offer!.attemptId), 0))
  expect(await house.messages()).toMatchObject([{ charged: 1, attempts: 1 }])
  expect(await house.pull(phone)).toEqual([])
})

test('the same failure without a time of sending says nothing of the network: the outcome is unknown, and nothing is charged yet', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ to: ['+4915112345678'] })
  const [offer] = await house.pull(phone)
  const { Sent: _, ...states } = entryOf('').states
  await house.report(phone, ...reportsIn({ ...entryOf(offer!.attemptId), states }, 0))
  expect(await house.messages()).toMatchObject([{ status: 'unconfirmed', charged: 0, attempts: 1 }])
})

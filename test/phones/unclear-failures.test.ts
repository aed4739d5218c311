import { expect, test } from 'vitest'
import { appWords } from './app-words.ts'
import { openDeskHouse, sayAll } from './gateway-fixture.ts'

const unclear = { error_code: 'device_unclear', network_code: 'RESULT_ERROR_GENERIC_FAILURE' }

test.for([1, 3])(
  'a failure that does not tell whether it was sent leaves a text of %i parts unconfirmed with the value that the phone gave, and goes to nobody else',
  async (parts) => {
    const house = await openDeskHouse()
    const phone = await house.register('1')
    await house.send({ parts, onUnknown: 'resend_once' })
    await house.report(phone, ...(await house.pull(phone)).map(sayAll('failed', appWords.genericFailure)))
    expect(await house.messages()).toMatchObject([{ status: 'unconfirmed', charged: 0, ...unclear }])
    expect(await house.pull(phone)).toEqual([])
  },
)

test.for([
  ['sent', 0],
  ['delivered', 1],
] as const)(
  'such a failure of a later part of a text that was %s is undelivered with the value that the phone gave',
  async ([before, corrected]) => {
    const house = await openDeskHouse()
    const phone = await house.register('1')
    await house.send({ parts: 3 })
    const [offer] = await house.pull(phone)
    await house.report(phone, sayAll(before)(offer!))
    await house.report(phone, sayAll('failed', appWords.genericFailure)(offer!))
    expect(await house.messages()).toMatchObject([
      { status: 'undelivered', charged: 3, corrected, ...unclear },
    ])
  },
)

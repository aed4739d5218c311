import { expect, test } from 'vitest'
import { openCanaryHouse } from './canary-house.ts'

const word = { result: 'delivered', code: null, networkCode: null } as const

/** A message to this number whose outcome is unknown, and what is known of it and of receipts that match nothing. */
async function openDoubt(to: string) {
  const house = await openCanaryHouse()
  const { storage, dispatcher, says } = house
  says.answer = { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no response' }
  await house.send({ to: [to] })
  await dispatcher.drain()
  const message = () => storage.read.selectFrom('messages').select(['status', 'device_id']).executeTakeFirstOrThrow() // prettier-ignore
  const { status, device_id } = await message()
  expect(status).toBe('unconfirmed')
  const deviceId = device_id as string
  return {
    house,
    deviceId,
    /** A canary is sent over the device of the message, and answered so. */
    async sendCanary(networkId?: string, sender: string | null = null) {
      if (networkId !== undefined)
        says.answer = { kind: 'accepted', networkIds: [networkId], receiptExpected: true }
      await house.add({ fromDevice: deviceId, toDevice: 'dev_to', sender })
      await house.run()
    },
    report: (networkId: string, number: string, isOneSided?: true) =>
      dispatcher.receipt(deviceId, {
        ...word,
        networkId,
        numbers: [number],
        ...(isOneSided && { isOneSided }),
      }),
    async seen() {
      const parked = await storage.read.selectFrom('parked_receipts').select('network_id').execute()
      return [(await message()).status, parked.map(({ network_id }) => network_id)]
    },
  }
}

test('the receipt of a canary settles no message in doubt', async () => {
  const { sendCanary, report, seen } = await openDoubt('+4915100000002')
  await sendCanary('n1')
  await report('n1', '4915100000002')
  expect(await seen()).toEqual(['unconfirmed', []])
})

test('a receipt that may be of a canary without an ID settles no message in doubt', async () => {
  const { sendCanary, report, seen } = await openDoubt('+4915100000002')
  await sendCanary()
  await report('n1', '4915100000002')
  expect(await seen()).toEqual(['unconfirmed', ['n1']])
})

test('a receipt with the ID of a canary and the number of a message is of the message', async () => {
  const { sendCanary, report, seen } = await openDoubt('+4915100000003')
  await sendCanary('n1')
  await report('n1', '4915100000003')
  expect(await seen()).toEqual(['delivered', []])
})

test('a receipt that names the sender of a canary alone is of the canary; one with its ID in another case settles no message in doubt', async () => {
  const { sendCanary, report, seen } = await openDoubt('+4915100000002')
  await sendCanary('ab12', '+4915100000001')
  await report('ab12', '4915100000001', true)
  expect(await seen()).toEqual(['unconfirmed', []])
  await report('AB12', '4915100000002')
  expect(await seen()).toEqual(['unconfirmed', ['AB12']])
})

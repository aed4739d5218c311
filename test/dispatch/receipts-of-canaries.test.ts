import { expect, test } from 'vitest'
import { openCanaryHouse } from './canary-house.ts'

test('the receipt of a canary settles no message in doubt', async () => {
  const house = await openCanaryHouse()
  const { storage, dispatcher } = house
  house.says.answer = { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no response' }
  await house.send({ to: ['+4915100000002'] })
  await dispatcher.drain()
  const doubted = async () => (await storage.read.selectFrom('messages').select(['status', 'device_id']).execute())[0]
  expect(await doubted()).toMatchObject({ status: 'unconfirmed' })
  house.says.answer = { kind: 'accepted', networkIds: ['n1'], receiptExpected: true }
  await house.add({ fromDevice: (await doubted())?.device_id as string, toDevice: 'dev_to' })
  await house.run()
  const receipt = { networkId: 'n1', result: 'delivered', code: null, networkCode: null, numbers: ['4915100000002'] } as const
  await dispatcher.receipt((await doubted())?.device_id as string, receipt)
  expect([await doubted(), await storage.read.selectFrom('parked_receipts').selectAll().execute()]).toMatchObject([{ status: 'unconfirmed' }, []])
}) // prettier-ignore

test('a receipt that may be of a canary without an ID settles no message in doubt', async () => {
  const house = await openCanaryHouse()
  const { storage, dispatcher } = house
  house.says.answer = { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no response' }
  await house.send({ to: ['+4915100000002'] })
  await dispatcher.drain()
  const doubted = async () => (await storage.read.selectFrom('messages').select(['status', 'device_id']).execute())[0]
  await house.add({ fromDevice: (await doubted())?.device_id as string, toDevice: 'dev_to' })
  await house.run()
  const receipt = { networkId: 'n1', result: 'delivered', code: null, networkCode: null, numbers: ['4915100000002'] } as const
  await dispatcher.receipt((await doubted())?.device_id as string, receipt)
  expect([await doubted(), await storage.read.selectFrom('parked_receipts').selectAll().execute()]).toMatchObject([{ status: 'unconfirmed' }, [{ network_id: 'n1' }]])
}) // prettier-ignore

test('a receipt with the ID of a canary and the number of a message is of the message', async () => {
  const house = await openCanaryHouse()
  const { storage, dispatcher } = house
  await house.add()
  await house.run()
  house.says.answer = { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no response' }
  const message = async () => (await storage.read.selectFrom('messages').select(['status', 'device_id']).execute())[0]
  await house.send({ to: ['+4915100000003'] })
  await dispatcher.drain()
  const deviceId = (await message())?.device_id as string
  await storage.writer.write((tx) => tx.updateTable('canary_runs').set({ from_device: deviceId, network_id: 'n1' }).execute())
  await dispatcher.receipt(deviceId, { networkId: 'n1', result: 'delivered', code: null, networkCode: null, numbers: ['4915100000003'] })
  expect(await message()).toMatchObject({ status: 'delivered' })
}) // prettier-ignore

test('a receipt that names only the sender of a canary is of the canary, and so is none in doubt whose ID is in another case', async () => {
  const house = await openCanaryHouse()
  const { storage, dispatcher } = house
  house.says.answer = { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no response' }
  await house.send({ to: ['+4915100000002'] })
  await dispatcher.drain()
  const doubted = async () => (await storage.read.selectFrom('messages').select(['status', 'device_id']).execute())[0]
  const deviceId = (await doubted())?.device_id as string
  house.says.answer = { kind: 'accepted', networkIds: ['ab12'], receiptExpected: true }
  await house.add({ fromDevice: deviceId, toDevice: 'dev_to', sender: '+4915100000001' })
  await house.run()
  const parked = () => storage.read.selectFrom('parked_receipts').select('network_id').execute()
  const word = { result: 'delivered', code: null, networkCode: null } as const
  await dispatcher.receipt(deviceId, { ...word, networkId: 'ab12', numbers: ['4915100000001'], isOneSided: true })
  expect([await doubted(), await parked()]).toMatchObject([{ status: 'unconfirmed' }, []])
  await dispatcher.receipt(deviceId, { ...word, networkId: 'AB12', numbers: ['4915100000002'] })
  expect([await doubted(), await parked()]).toMatchObject([{ status: 'unconfirmed' }, [{ network_id: 'AB12' }]])
}) // prettier-ignore

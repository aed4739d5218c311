import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { cliJson } from '../run-command.ts'
import { numbersFrom, openSmppHouse } from './smpp-house.ts'

test('a link that asks for failures alone has a message sent for good, and undelivered once the network says so', async () => {
  const house = await openSmppHouse({ settings: ['receipts=failures'] })
  const [fine, gone] = ['+4915112345001', '+4915112345002']
  await house.smsc.set({
    receipts: { delayMs: 300, rules: [{ destination: gone.slice(1), states: ['UNDELIV'], err: '001' }] },
  })
  await house.send('Shall we write to you?', [fine, gone])
  await eventually(house.counts, (counts) => expect(counts).toEqual({ sent: 1, undelivered: 1 }), 10_000)
  const rows = await house.history('outbound')
  expect(rows.find(({ to }) => to === gone)).toMatchObject({
    status: 'undelivered',
    cost: { state: 'charged' },
  })
  expect(rows.find(({ to }) => to === fine)).toMatchObject({ status: 'sent' })
  expect(house.smsc.records().filter(({ kind }) => kind === 'delivery')).toHaveLength(1)
  expect(await cliJson(['doctor'], house.server.dataFolder)).toMatchObject({ ok: true })
}, 60_000)

test('failures that do not say that they are receipts count after a restart, too, where failures alone are asked for', async () => {
  const house = await openSmppHouse({ ownProcess: true, settings: ['receipts=failures'] })
  await house.smsc.set({
    receipts: { esmClass: 0, rules: [{ states: ['UNDELIV'] }] },
    deliver: { window: 0 },
  })
  await house.send('Shall we write to you?', numbersFrom(0, 20))
  await eventually(house.counts, (counts) => expect(counts).toEqual({ sent: 20 }), 20_000)
  await house.server.process.kill('SIGKILL')
  await house.smsc.set({ deliver: { window: 50 } })
  await house.server.restart()
  await eventually(house.counts, (counts) => expect(counts).toEqual({ undelivered: 20 }), 20_000)
  expect(await house.history('inbound')).toEqual([])
}, 60_000)

test('receipts that do not say so are receipts also when the SMSC brings them with its yes to the bind, after a restart', async () => {
  const house = await openSmppHouse({ ownProcess: true })
  await house.smsc.set({ receipts: { esmClass: 0 }, deliver: { window: 0 } })
  const numbers = numbersFrom(0, 200)
  await house.send('Shall we write to you?', numbers)
  await eventually(house.counts, (counts) => expect(counts).toEqual({ sent: 200 }), 20_000)
  await house.server.process.kill('SIGKILL')
  await house.smsc.set({ deliver: { window: 50 } })
  await house.server.restart()
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 200 }), 20_000)
}, 60_000)

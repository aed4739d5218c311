import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { mobileOriginated } from '../peers/sms-text/mobile-originated.ts'
import { openSmppHouse } from './smpp-house.ts'

const text = 'A long answer that the network brings in three pieces. '.repeat(8).trim()

test('a received message of three parts is one row of history, in every method and in whatever order its pieces come', async () => {
  const house = await openSmppHouse()
  const orders = (['udh8', 'udh16', 'sar'] as const).map((method, i) =>
    mobileOriginated({
      from: '4915112345678',
      to: '12345',
      text: `${i} ${text}`,
      method,
      reference: i,
      partLength: 153,
    }),
  )
  for (const pieces of orders) {
    expect(pieces).toHaveLength(3)
    const [first, second, third] = pieces as [(typeof pieces)[0], (typeof pieces)[0], (typeof pieces)[0]]
    // The second comes twice: the network did not hear our answer.
    for (const piece of [third, second, second, first])
      expect(await house.smsc.deliver(piece)).toMatchObject({ outcome: 0 })
  }
  const received = await eventually(
    () => house.history('inbound'),
    (rows) => expect(rows).toHaveLength(3),
  )
  for (const row of received)
    expect(row).toMatchObject({ status: 'received', parts: 3, cost: { state: 'none' }, to: '+12345' })
  expect(received.map((row) => row['text']).toReversed()).toEqual([0, 1, 2].map((i) => `${i} ${text}`))
}, 60_000)

test('STOP over a link is confirmed over it once, ends what is sent there, and START begins it again', async () => {
  const house = await openSmppHouse()
  const number = '+4915112345678'
  const say = async (said: string): Promise<void> => {
    const [order] = mobileOriginated({ from: number.slice(1), to: '12345', text: said, method: 'none' })
    expect(await house.smsc.deliver(order!)).toMatchObject({ outcome: 0 })
  }
  await house.send('Shall we write to you?', [number])
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 1 }))
  await say('Stop!')
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 2, received: 1 }), 10_000)
  const [confirmation] = await house.history('outbound')
  expect(confirmation).toMatchObject({ to: number, send_id: expect.stringMatching(/^snd_/) as string })
  expect(confirmation?.['text']).toMatch(/^You will get no more messages/)
  await expect(house.send('Again', [number])).rejects.toThrow('recipient_opted_out')
  await say('STOP')
  await say('start')
  await house.send('Welcome back', [number])
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 3, received: 3 }), 10_000)
  expect(house.smsc.submits()).toHaveLength(3)
}, 60_000)

test('STOP, START and STOP again within a minute ends in an opt-out, and the same answer to two questions is two messages', async () => {
  const house = await openSmppHouse()
  const number = '+4915112345678'
  const say = async (said: string): Promise<void> => {
    const [order] = mobileOriginated({ from: number.slice(1), to: '12345', text: said, method: 'none' })
    expect(await house.smsc.deliver(order!)).toMatchObject({ outcome: 0 })
  }
  for (const said of ['YES', 'YES', 'STOP', 'START', 'STOP']) await say(said)
  await eventually(
    async () => (await house.history('inbound')).map((row) => row['text']).toReversed(),
    (texts) => expect(texts).toEqual(['YES', 'YES', 'STOP', 'START', 'STOP']),
    10_000,
  )
  await expect(house.send('Again', [number])).rejects.toThrow('recipient_opted_out')
}, 60_000)

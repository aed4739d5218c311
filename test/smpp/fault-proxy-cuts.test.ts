import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { resetSocket } from '../peers/reset-socket.ts'
import { breath, expectFate, expectText, openHouse, watch } from './proxy-house.ts'

/** Connections that the proxy breaks, or lets nobody open. */

test('a connection is cut in the turn in which its end passes, and no socket is left', async () => {
  const house = await openHouse()
  const { client } = await house.connect()
  const socket = connect(house.proxy.port, '127.0.0.1').on('error', () => undefined)
  await eventually(house.proxy.state.bind(house.proxy), ({ open }) => expect(open).toBe(2))
  socket.end()
  resetSocket(socket)
  await once(socket, 'close')
  house.proxy.cut('rst')
  await expectFate(client, 'reset')
})

test('a cut is a reset or an end, at both sides', async () => {
  const house = await openHouse()
  const first = await house.connect()
  expect(house.proxy.cut('rst')).toBe(1)
  await Promise.all([expectFate(first.client, 'reset'), expectFate(first.target, 'reset')])
  const second = await house.connect()
  second.client.socket.write('unread')
  expect(house.proxy.cut('fin')).toBe(1)
  await Promise.all([expectFate(second.client, 'ended'), expectFate(second.target, 'ended')])
  expect(house.proxy.state()).toMatchObject({ cuts: 2, open: 0 })
})

test('what waits in the proxy when it cuts is lost', async () => {
  const house = await openHouse()
  const { client, target } = await house.connect()
  house.proxy.set('toTarget', { delayMs: 200 })
  client.socket.write('never')
  await breath(await openHouse())
  house.proxy.cut('fin')
  await expectFate(target, 'ended')
  expect(target.text()).toBe('')
})

test('a cut after so many bytes falls there, on what stands or on the next connection', async () => {
  const house = await openHouse()
  const first = await house.connect()
  house.proxy.cutAfter('toTarget', 7, 'fin')
  first.client.socket.write('abcd')
  await expectText(first.target, 'abcd')
  first.client.socket.write('efghijkl')
  await expectFate(first.target, 'ended')
  expect(first.target.text()).toBe('abcdefg')
  house.proxy.cutAfter('toClient', 3, 'rst')
  const second = await house.connect()
  second.client.socket.write('all of it')
  await expectText(second.target, 'all of it')
  second.target.socket.write('12345')
  await expectFate(second.client, 'reset')
  expect(second.client.text()).toBe('123')
})

test('it cuts again and again until it is healed', async () => {
  const house = await openHouse()
  house.proxy.cutEvery(150, 'rst')
  const startedMs = performance.now()
  for (let n = 0; n < 3; n += 1) await expectFate((await house.connect()).client, 'reset')
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(400)
  house.proxy.heal()
  const { cuts } = house.proxy.state()
  house.proxy.set('toTarget', { delayMs: 400 })
  const { client, target } = await house.connect()
  client.socket.write('late, and there')
  await expectText(target, 'late, and there')
  expect(client.fate()).toBe('open')
  expect(house.proxy.state().cuts).toBe(cuts)
})

test('half-open nobody is told anything, and what has lost bytes is reset at the end', async () => {
  const house = await openHouse()
  const busy = await house.connect()
  const leaving = await house.connect()
  const quiet = await house.connect()
  house.proxy.halfOpen({ forMs: 60_000 })
  busy.client.socket.write('lost')
  busy.target.socket.write('lost')
  leaving.client.socket.destroy()
  const late = watch(connect(house.proxy.port, '127.0.0.1'))
  late.socket.write('bind')
  await eventually(
    () => house.proxy.state(),
    ({ accepted }) => expect(accepted).toBe(4),
  )
  await breath(await openHouse())
  expect([busy, leaving, quiet].map(({ target }) => [target.text(), target.fate()])).toEqual(
    Array.from({ length: 3 }, () => ['', 'open']),
  )
  expect([busy.client.fate(), late.fate()]).toEqual(['open', 'open'])
  house.proxy.heal()
  await Promise.all([
    expectFate(busy.client, 'reset'),
    expectFate(busy.target, 'reset'),
    expectFate(late, 'reset'),
  ])
  await expectFate(leaving.target, 'reset')
  quiet.client.socket.write('still here')
  await expectText(quiet.target, 'still here')
})

test('half-open in one direction the other goes on, and new connections work or are refused', async () => {
  const house = await openHouse()
  const { client, target } = await house.connect()
  house.proxy.halfOpen({ forMs: 10_000, direction: 'toClient', newOnes: 'work' })
  client.socket.write('question')
  await expectText(target, 'question')
  target.socket.write('answer')
  await breath(house)
  expect(client.text()).toBe('')
  house.proxy.heal()
  await expectFate(client, 'reset')
  const last = await house.connect()
  house.proxy.halfOpen({ forMs: 500, newOnes: 'refuse' })
  last.client.socket.write('lost')
  await expectFate(watch(connect(house.proxy.port, '127.0.0.1')), 'ECONNREFUSED')
  const tryAgain = (): Promise<string> =>
    house.connect().then(
      () => 'works',
      () => 'refused',
    )
  await eventually(tryAgain, (seen) => expect(seen).toBe('works'))
  await expectFate(last.client, 'reset')
})

test('refused until it listens again, on the same port', async () => {
  const house = await openHouse()
  const { client, target } = await house.connect()
  house.proxy.refuse()
  await expectFate(watch(connect(house.proxy.port, '127.0.0.1')), 'ECONNREFUSED')
  client.socket.write('still here')
  await expectText(target, 'still here')
  const { port } = house.proxy
  expect(await house.proxy.listen()).toBe(port)
  await breath(house)
})

import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { startFaultProxy } from '../peers/fault-proxy.ts'
import { openEsme, openSmsc, submitFields } from './foreign-house.ts'
import { breath, expectFate, expectText, openHouse, steady, watch } from './proxy-house.ts'

/** The proxy does to real connections what it is told, and nothing else. */

test('without faults bytes pass both ways, and so does the end of each', async () => {
  const house = await openHouse()
  const { client, target } = await house.connect()
  client.socket.write('to the target')
  await expectText(target, 'to the target')
  client.socket.end()
  await expectFate(target, 'ended')
  expect(client.fate()).toBe('open')
  target.socket.end('to the client')
  await expectText(client, 'to the client')
  await expectFate(client, 'ended')
  await eventually(
    () => house.proxy.state(),
    (state) =>
      expect(state).toEqual({ accepted: 1, open: 0, cuts: 0, passed: { toTarget: 13, toClient: 13 } }),
  )
})

test('a reset passes through as a reset, both ways', async () => {
  const house = await openHouse()
  const first = await house.connect()
  first.client.socket.resetAndDestroy()
  await expectFate(first.target, 'reset')
  const second = await house.connect()
  second.target.socket.resetAndDestroy()
  await expectFate(second.client, 'reset')
})

test('a client is reset when nobody listens at the target', async () => {
  const house = await openHouse()
  house.server.close()
  const client = watch(connect(house.proxy.port, '127.0.0.1'))
  await expectFate(client, 'reset')
})

test('a delay is for its direction, and keeps the order', async () => {
  const house = await openHouse()
  house.proxy.set('toClient', { delayMs: [80, 120] })
  const { client, target } = await house.connect()
  const startedMs = performance.now()
  for (let n = 0; n < 10; n += 1) {
    target.socket.write(`${n}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
  client.socket.write('fast')
  await expectText(target, 'fast')
  expect(client.text()).toBe('')
  await expectText(client, '0123456789')
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(80)
})

test('an exact delay keeps the order, lets nothing pass before its time, and ends with its connection', async () => {
  const house = await openHouse()
  house.proxy.set('toClient', { delayMs: 0.5, isExact: true })
  const { client, target } = await house.connect()
  for (let n = 0; n < 10; n += 1) {
    const startedMs = performance.now()
    target.socket.write(`${n}`)
    await expectText(client, '0123456789'.slice(0, n + 1))
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(0.5)
  }
  house.proxy.set('toClient', { delayMs: 60_000 })
  target.socket.write('late')
  house.proxy.cut('rst')
  await expectFate(client, 'reset')
  expect(client.text()).toBe('0123456789')
})

test('slices arrive one by one, and whole', async () => {
  const house = await openHouse()
  house.proxy.set('toTarget', { slice: 1 })
  const { client, target } = await house.connect()
  const text = 'abcdefghij'.repeat(20)
  client.socket.write(text)
  await expectText(target, text)
  expect(target.chunks.length).toBeGreaterThan(100)
  house.proxy.set('toTarget', { slice: [2, 9] })
  target.chunks.length = 0
  client.socket.write(text)
  await expectText(target, text)
  expect(target.chunks.length).toBeGreaterThan(20)
  expect(target.chunks.length).toBeLessThanOrEqual(100)
})

test('garbage and flipped bits are the same for the same seed, however the stream is cut', async () => {
  const stream = 'The quick brown fox jumps over the lazy dog. '.repeat(40)
  const mangle = async (seed: number, pieces: number): Promise<string> => {
    const house = await openHouse(seed)
    house.proxy.set('toTarget', { garbageEvery: [100, 200], garbageBytes: [1, 20], flipEvery: [300, 500] })
    const { client, target } = await house.connect()
    for (let at = 0; at < stream.length; at += stream.length / pieces) {
      client.socket.write(stream.slice(at, at + stream.length / pieces))
      await new Promise((resolve) => setImmediate(resolve))
    }
    client.socket.end()
    await expectFate(target, 'ended')
    return target.text()
  }
  const mangled = await mangle(5, 1)
  expect(mangled.length).toBeGreaterThan(stream.length + 9)
  expect(mangled.length).toBeLessThan(stream.length + 18 * 20 + 1)
  expect(await mangle(5, 12)).toBe(mangled)
  expect(await mangle(6, 1)).not.toBe(mangled)
})

test('a flipped bit is one bit, after as many bytes as was said', async () => {
  const house = await openHouse()
  house.proxy.set('toTarget', { flipEvery: 4 })
  const { client, target } = await house.connect()
  client.socket.end(Buffer.alloc(20))
  await expectFate(target, 'ended')
  const bytes = Array.from(Buffer.concat(target.chunks))
  expect(bytes.flatMap((byte, index) => (byte === 0 ? [] : [index]))).toEqual([4, 9, 14, 19])
  expect(bytes.filter((byte) => byte !== 0).every((byte) => Math.log2(byte) % 1 === 0)).toBe(true)
})

test('injected bytes come where the stream stands', async () => {
  const house = await openHouse()
  const { client, target } = await house.connect()
  client.socket.write('before ')
  await expectText(target, 'before ')
  house.proxy.inject('toTarget', Buffer.from('[garbage]'))
  await expectText(target, 'before [garbage]')
  client.socket.write(' after')
  await expectText(target, 'before [garbage] after')
  expect(client.text()).toBe('')
})

test('held nothing passes and nothing is lost, however much comes', async () => {
  const house = await openHouse()
  const { client, target } = await house.connect()
  house.proxy.set('toTarget', { hold: true })
  const block = Buffer.alloc(1024 * 1024, 'x')
  let sent = 0
  while (client.socket.write(block) || sent < 16) sent += 1
  client.socket.end()
  await breath(await openHouse())
  expect(target.text()).toBe('')
  // The rest of it waits at the client: this is what back-pressure feels like.
  expect(client.socket.writableLength).toBeGreaterThan(0)
  house.proxy.set('toTarget', { hold: false })
  await expectFate(target, 'ended')
  expect(target.chunks.reduce((sum, { length }) => sum + length, 0)).toBe((sent + 1) * block.length)
})

test('a target that does not read slows the client down, as it would without a proxy', async () => {
  const house = await openHouse()
  const { client, target } = await house.connect()
  target.socket.pause()
  const block = Buffer.alloc(1024 * 1024, 'x')
  for (let sent = 0; sent < 32; sent += 1) client.socket.write(block)
  client.socket.end()
  const { passed } = await steady(() => house.proxy.state())
  expect(client.socket.writableLength).toBeGreaterThan(0)
  expect(passed.toTarget).toBeLessThan(32 * block.length)
  target.socket.resume()
  await expectFate(target, 'ended')
  expect(target.chunks.reduce((sum, { length }) => sum + length, 0)).toBe(32 * block.length)
})

test('an SMPP session goes through it, sliced into single bytes and delayed', async () => {
  const smsc = await openSmsc()
  const proxy = await startFaultProxy({ target: smsc })
  onTestFinished(proxy.stop)
  await proxy.set('both', { slice: 1, delayMs: [0, 5] })
  const esme = await openEsme({ ...smsc, port: proxy.port })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => esme.submit(submitFields(`Text ${n}`))),
  )
  expect(answers.map((answer) => answer.command_status)).toEqual(answers.map(() => 0))
  await eventually(
    () => esme.received.length,
    (count) => expect(count).toBe(20),
  )
  expect(await proxy.cut('rst')).toBe(1)
  await eventually(
    () => esme.isClosed(),
    (closed) => expect(closed).toBe(true),
  )
  await proxy.inject('toTarget', new Uint8Array([1, 2]))
  expect(await proxy.state()).toMatchObject({ accepted: 1, cuts: 1, open: 0 })
})

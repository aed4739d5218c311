import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHooks } from '../../src/connectors/http/callbacks/hooks.ts'
import { eventually } from '../eventually.ts'
import type { HouseServer } from '../house-server.ts'
import { hasCommands } from '../peers/foreign-tools.ts'
import { isLong } from '../proof-sizes.ts'
import { testSecret } from '../test-database.ts'
import { startElksPeer } from './elks-peer.ts'
import { hasStatus, openAccountAtProvider, openOwnServer, shareProviderHouse } from './provider-house.ts'

shareProviderHouse()

/**
 * A provider that is not among ours, by a declaration that was written from its pages alone (docs/connectors/http-examples/46elks.json). Another
 * language plays it, as the same pages say (test/peers/elks-peer.py).
 */
const declaration = join(import.meta.dirname, '../../docs/connectors/http-examples/46elks.json')
const to = '+46704508449'

async function openElks(server?: HouseServer) {
  const peer = await startElksPeer()
  onTestFinished(() => peer.stop())
  const account = await openAccountAtProvider({
    settings: ['username=u1', 'default_sender=Acme', `base=${peer.url}`],
    secret: 'password',
    more: ['--declaration', declaration],
    server,
  })
  return { ...account, peer }
}

describe.skipIf(!hasCommands('python3'))('46elks, played by another language', () => {
  test('by JSON alone, a provider of another language sends, reports deliveries, and delivers what it receives', async () => {
    const elks = await openElks()
    const { peer, server, deviceId } = elks
    await elks.send('Hej å & {text}', to)
    await hasStatus(elks, 'sent')
    const { messages } = await peer.ask({})
    expect(messages).toMatchObject([{ from: 'Acme', to, message: 'Hej å & {text}' }])
    expect(await peer.ask({ deliver: 'sent' })).toEqual([204])
    expect((await elks.messages())[0]?.status).toBe('sent')
    expect(await peer.ask({ deliver: 'delivered' })).toEqual([204])
    await hasStatus(elks, 'delivered')
    const url = `${server.url}${createHooks({ current: testSecret, former: [] }).pathOf(deviceId)}/inbound`
    expect(await peer.ask({ receive: { url, sender: to, text: 'Vad?' } })).toBe(204)
    expect(await elks.messages('inbound')).toMatchObject([{ from: to, text: 'Vad?' }])
  }, 60_000)

  test('a message that the provider took without an answer is found there by number, text and time, and is sent once', async () => {
    const elks = await openElks()
    await elks.peer.ask({ set: { mode: 'close' } })
    await elks.send('Hello', to)
    const [sent] = await hasStatus(elks, 'sent')
    const { messages, requests } = await elks.peer.ask({})
    expect(requests).toBe(1)
    expect(sent).toMatchObject({ attempts: 1, cost: { charged: 1, state: 'charged' } })
    expect(await elks.peer.ask({ deliver: 'delivered' })).toEqual([204])
    expect(messages).toHaveLength(1)
    await hasStatus(elks, 'delivered')
  }, 60_000)

  test('a server that is killed during a submission asks the provider at its next start, and sends nothing again', async () => {
    const server = await openOwnServer()
    const elks = await openElks(server)
    await elks.peer.ask({ set: { mode: 'hang' } })
    await elks.send('Hello', to)
    await eventually(
      () => elks.peer.ask({}),
      ({ requests }) => expect(requests).toBe(1),
    )
    await server.process.kill('SIGKILL')
    await server.restart()
    const startedMs = performance.now()
    const [sent] = await hasStatus(elks, 'sent', 30_000)
    expect(performance.now() - startedMs).toBeLessThan(30_000)
    expect(sent).toMatchObject({ attempts: 1 })
    expect((await elks.peer.ask({})).requests).toBe(1)
    if (!isLong()) return
    // Without a public address nothing calls: the first look-up for a receipt is due after 10 s.
    await elks.peer.ask({ deliver: 'delivered' })
    await hasStatus(elks, 'delivered', 30_000)
  }, 120_000)
})

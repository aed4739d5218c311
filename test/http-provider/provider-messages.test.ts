import { expect, test } from 'vitest'
import { createHooks } from '../../src/connectors/http/callbacks/hooks.ts'
import { eventually } from '../eventually.ts'
import { cli, cliJson } from '../run-command.ts'
import { testSecret } from '../test-database.ts'
import { hasStatus, openProviderHouse, shareProviderHouse } from './provider-house.ts'

shareProviderHouse()

const to = '+4915112345001'

test('a message is sent by one request, delivered once the provider calls, and charged once for its parts', async () => {
  const house = await openProviderHouse()
  expect(await house.send('x'.repeat(200), to)).toMatchObject({ status: 202 })
  await hasStatus(house, 'sent')
  expect(await house.submitted()).toEqual([
    { to: to.slice(1), from: 'Acme', text: 'x'.repeat(200), parts: 2, status: '0' },
  ])
  expect(await house.deliver()).toBe(0)
  const [message] = await hasStatus(house, 'delivered')
  expect(message).toMatchObject({ parts: 2, attempts: 1, cost: { charged: 2, state: 'charged' } })
  expect(await cliJson(['doctor'], house.server.dataFolder)).toMatchObject({ ok: true })
}, 60_000)

test('a request that gets no answer is never sent again, and a receipt that names its attempt shows that it was sent', async () => {
  const house = await openProviderHouse()
  await house.peer.call('set', { mode: 'nothing' })
  await house.send('Hello', to)
  const [unknown] = await hasStatus(house, 'unconfirmed')
  expect(unknown?.error).toMatchObject({ code: 'device_unresponsive' })
  expect(await house.deliver()).toBe(0)
  const [delivered] = await hasStatus(house, 'delivered')
  expect(delivered).toMatchObject({ attempts: 1, cost: { charged: 0, state: 'released' } })
  expect(await house.peer.call('requests')).toBe(1)
}, 60_000)

test('an internal error of the provider is no refusal', async () => {
  const house = await openProviderHouse()
  await house.peer.call('set', { mode: 'error' })
  await house.send('Hello', to)
  const [unknown] = await hasStatus(house, 'unconfirmed')
  expect(unknown?.error).toMatchObject({ code: 'device_unclear', network_code: '5' })
  expect(await house.peer.call('requests')).toBe(1)
}, 60_000)

test('wrong credentials take the device offline with the reason, cost the message nothing, and it goes over the next device', async () => {
  const house = await openProviderHouse()
  await house.peer.call('set', { refused: 'abcd1234' })
  await house.send('Hello', to)
  await eventually(house.status, (seen) =>
    expect(seen).toMatchObject({ status: 'offline', reasons: ['credentials_refused'] }),
  )
  expect((await house.messages())[0]).toMatchObject({ status: 'queued', cost: { charged: 0 } })
  const settings = ['provider=vonage', 'api_key=wxyz9876', 'default_sender=Other', `base=http://127.0.0.1:${house.peer.ready.port}`]
  const add = ['device', 'add', 'http', '--account', house.accountId, '--name', 'Second', '--secret-stdin', 'api_secret']
  const added = await cli([...add, ...settings.flatMap((pair) => ['--set', pair])], { dataFolder: house.server.dataFolder, stdin: 'secret\n' })
  expect(added, added.stderr).toMatchObject({ code: 0 })
  await hasStatus(house, 'sent')
  expect((await house.submitted()).map(({ from, status }) => [from, status])).toEqual([['Acme', '4'], ['Other', '0']])
  // Right credentials bring it back, and of two that work either may be refused next.
  await house.peer.call('set', { refused: null })
  await house.set('--set', 'window=5')
  await eventually(house.status, (seen) => expect(seen.status).toBe('online'))
  await house.peer.call('set', { refused: 'next' })
  await house.send('Again', to)
  await eventually(() => house.messages(), (seen) => expect(seen.map(({ status, cost }) => [status, cost.charged])).toEqual([['sent', 1], ['sent', 1]]))
  const [first, second] = (await house.submitted()).slice(2)
  expect([first?.status, second?.status, (await house.submitted()).length]).toEqual(['4', '0', 4])
  expect(new Set([first?.from, second?.from])).toEqual(new Set(['Acme', 'Other']))
}, 60_000) // prettier-ignore

test('a STOP at the provider is followed before it is answered', async () => {
  const house = await openProviderHouse()
  const inbound = `${house.server.url}${createHooks({ current: testSecret, former: [] }).pathOf(house.deviceId)}/inbound`
  await house.peer.call('receive', { url: inbound, from: to, text: 'STOP' })
  expect(await house.deliver()).toBe(0)
  const { status, body } = await house.send('Hello', to)
  expect(status).toBe(422)
  expect(body).toContain('recipient_opted_out')
  expect(await house.messages('inbound')).toMatchObject([{ text: 'STOP' }])
}, 60_000)

test('a call at another address is refused, and nothing of it is stored', async () => {
  const house = await openProviderHouse()
  const path = createHooks({ current: testSecret, former: [] }).pathOf(house.deviceId)
  const last = path.at(-2) === 'A' ? 'B' : 'A'
  const body = JSON.stringify({
    msisdn: to.slice(1),
    to: '447700900000',
    messageId: '0B1',
    text: 'Hi',
    type: 'text',
  })
  const call = (where: string) =>
    fetch(`${house.server.url}${where}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
  const statuses = [
    (await call(`${path.slice(0, -2)}${last}${path.at(-1)}/inbound`)).status,
    (await call(`${path}/status/att_01k9ktqv1gfx8r4z6m2d7cwn5e.AAAAAAAAAAAAAAAAAAAAAA`)).status,
    (await call(path.replace(house.deviceId, 'dev_01k9ktqv1gfx8r4z6m2d7cwn5e').concat('/inbound'))).status,
  ]
  expect(statuses).toEqual([403, 403, 403])
  expect(await house.messages('inbound')).toEqual([])
  expect((await call(`${path}/inbound`)).status).toBe(200)
}, 60_000)

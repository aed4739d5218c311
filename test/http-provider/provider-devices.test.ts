import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHooks } from '../../src/connectors/http/callbacks/hooks.ts'
import { eventually } from '../eventually.ts'
import { cli } from '../run-command.ts'
import { testSecret } from '../test-database.ts'
import { hasStatus, openOwnServer, openProviderHouse, shareProviderHouse } from './provider-house.ts'

shareProviderHouse()

const to = '+4915112345001'

test('new addresses for a provider end the former ones, and both are printed', async () => {
  const house = await openProviderHouse()
  const { dataFolder } = house.server
  const env = { ONESIXTY_PUBLIC_URL: house.server.url }
  const urls = async () => (await cli(['provider', 'urls', house.deviceId], { dataFolder, env })).stdout
  const receivedAt = (text: string): string => /received messages +(\S+)/.exec(text)?.[1] ?? ''
  const call = async (url: string): Promise<number> =>
    (await fetch(url, { method: 'POST', body: JSON.stringify({ msisdn: to.slice(1), to: '447700900000', messageId: '0B3', text: 'Hi', type: 'text' }) })).status // prettier-ignore
  const former = receivedAt(await urls())
  expect(former).toMatch(/^http:.*\/inbound$/)
  expect(await call(former)).toBe(200)
  await house.set('--new-hook')
  const next = receivedAt(await urls())
  expect(next).not.toBe(former)
  expect([await call(former), await call(next)]).toEqual([403, 200])
  // A generation that the device does not have has no valid address either, though this instance could make it.
  expect(await call(next.replace('~1', '~2'))).toBe(403)
  await eventually(
    async () => {
      await house.send('Hello', to)
      return house.deliver()
    },
    (waiting) => expect(waiting).toBe(0),
  )
}, 60_000)

test('with a signature secret, only signed calls are taken', async () => {
  const house = await openProviderHouse()
  const path = createHooks({ current: testSecret, former: [] }).pathOf(house.deviceId)
  const set = await cli(['device', 'set', house.deviceId, '--secret-stdin', 'signature_secret'], {
    dataFolder: house.server.dataFolder,
    stdin: 'signature-secret\n',
  })
  expect(set).toMatchObject({ code: 0 })
  const body = JSON.stringify({
    msisdn: to.slice(1),
    to: '447700900000',
    messageId: '0B2',
    text: 'Hi',
    type: 'text',
  })
  const answer = await fetch(`${house.server.url}${path}/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(answer.status).toBe(403)
  expect(await house.messages('inbound')).toEqual([])
}, 60_000)

test('another host gets no request, and the device says which rule forbids it', async () => {
  const house = await openProviderHouse({ settings: ['base=http://169.254.169.254'] })
  await house.send('Hello', to)
  await eventually(house.status, (seen) => {
    expect(seen).toMatchObject({ status: 'offline', reasons: ['invalid_settings'] })
    expect(seen.last_error).toContain('169.254.169.254 is not among the hosts of the declaration')
    expect(seen.last_error).toContain('ONESIXTY_PROVIDER_ALLOW')
  })
  expect((await house.messages())[0]).toMatchObject({ status: 'queued' })
  expect(await house.peer.call('requests')).toBe(0)
}, 60_000)

test('a device test asks for the balance, and names what is wrong', async () => {
  const house = await openProviderHouse({ settings: ['window=3'] })
  const env = { ONESIXTY_PROVIDER_ALLOW: '127.0.0.1' }
  await house.peer.call('set', { mode: 'credentials' })
  await house.send('Hello', to)
  await eventually(house.status, (seen) => expect(seen.status).toBe('offline'))
  const tested = () => cli(['device', 'test', house.deviceId], { dataFolder: house.server.dataFolder, env })
  expect((await tested()).stdout).toContain('rejects the credentials (401)')
  await house.peer.call('set', { mode: 'yes' })
  expect((await tested()).stdout).toContain('accepts the credentials; the balance is 3.1 EUR')
}, 60_000)

test('a device shows its request and its declaration, without its secrets', async () => {
  const house = await openProviderHouse()
  const run = (...args: string[]) => cli(args, { dataFolder: house.server.dataFolder })
  const shown = await run('device', 'test', house.deviceId, '--show', '--to', to, '--text', 'A & B')
  expect(shown).toMatchObject({ code: 0 })
  expect(shown.stdout).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/sms\/json\n/)
  expect(shown.stdout).toContain(encodeURIComponent('‹api_secret›'))
  expect(shown.stdout).not.toContain('canary')
  expect(await house.peer.call('requests')).toBe(0)
  expect(JSON.parse((await run('provider', 'show', house.deviceId)).stdout)).toMatchObject({ name: 'vonage' })
}, 60_000)

test('a declaration of your own replaces a provider, and sends', async () => {
  const house = await openProviderHouse()
  const own = JSON.parse(
    (await cli(['provider', 'show', 'vonage'], { dataFolder: house.server.dataFolder })).stdout,
  ) as {
    name: string
    send: { form: Record<string, string> }
  }
  own.name = 'own'
  own.send.form['from'] = 'Mine'
  const file = join(house.server.dataFolder, 'own.json')
  await writeFile(file, JSON.stringify(own))
  await house.set('--declaration', file)
  expect(
    (await cli(['provider', 'show', house.deviceId], { dataFolder: house.server.dataFolder })).stdout,
  ).toContain('"Mine"')
  await eventually(
    async () => {
      await house.send('Hello', to)
      return house.submitted()
    },
    (seen) => expect(seen.at(-1)?.from).toBe('Mine'),
  )
}, 60_000)

test('a balance at the provider that is at or below its alert degrades the device, which still sends', async () => {
  const house = await openProviderHouse({ settings: ['balance_alert=3.2'] })
  await eventually(house.status, (seen) =>
    expect(seen).toMatchObject({ status: 'degraded', reasons: ['balance_low'] }),
  )
  await house.send('Hello', to)
  await hasStatus(house, 'sent')
  const { stdout } = await cli(['device', 'list'], { dataFolder: house.server.dataFolder })
  expect(stdout).toContain('balance_low: The balance at the provider is at or below balance_alert.')
  expect(await house.status()).toMatchObject({ balance: { amount: 3.1, currency: 'EUR' } })
  const metrics = await (await fetch(`${house.server.url}/metrics`)).text()
  expect(metrics).toContain(`onesixty_provider_balance{device="${house.deviceId}"} 3.1`)
}, 60_000)

test('no log, response, command or export has the secret of a provider, and no log a text or a whole number', async () => {
  const server = await openOwnServer()
  const house = await openProviderHouse({ server, settings: ['trace=on'] })
  await house.send('a text that nobody logs', to)
  await hasStatus(house, 'sent')
  const { output: read } = server.process
  const output = await eventually(read, (seen) => expect(seen).toContain('HTTP request'))
  for (const canary of ['canary-7f3a91', 'a text that', to.slice(1)]) expect(output).not.toContain(canary)
  const { dataFolder } = server
  const backup = join(dataFolder, 'backup.db')
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await cli(args, { dataFolder, env: { ONESIXTY_PROVIDER_ALLOW: '127.0.0.1' } })
    expect([args, code]).toEqual([args, 0])
    return stdout + stderr
  }
  const get = async (path: string): Promise<string> =>
    (await fetch(server.url + path, { headers: { authorization: `Bearer ${house.liveKey}` } })).text()
  await house.peer.call('set', { mode: 'credentials' })
  await house.send('refused', to)
  await eventually(house.status, (seen) => expect(seen.reasons).toEqual(['credentials_refused']))
  const places = [
    await run('device', 'list', '--json'),
    await run('provider', 'show', house.deviceId),
    await run('device', 'test', house.deviceId, '--show', '--to', to, '--text', 'Hi'),
    await run('backup', backup),
    await readFile(backup, 'latin1'),
    await get('/api/v1/status'),
    await get('/api/v1/history'),
    await get('/metrics'),
    server.process.output(),
  ]
  expect(places.filter((text) => text.includes('canary-7f3a91') || text.length === 0)).toEqual([])
  expect(places.join('')).toContain(house.deviceId)
}, 60_000) // prettier-ignore

test('a device without its settings or secrets is refused, and each of them is named', async () => {
  const house = await openProviderHouse()
  const add = (...more: string[]) =>
    cli(['device', 'add', 'http', '--shared', '--name', 'X', ...more], {
      dataFolder: house.server.dataFolder,
    })
  expect((await add()).stderr).toContain('provider')
  const twilio = await add('--set', 'provider=twilio', '--set', 'acount_sid=AC1')
  for (const name of ['the setting account_sid', 'the secret auth_token', "no setting 'acount_sid'"])
    expect(twilio.stderr).toContain(name)
}, 60_000)

test('the help of a new device names the settings of its provider', async () => {
  const house = await openProviderHouse()
  const { stdout } = await cli(['device', 'add', 'http', '--provider', 'twilio', '--help'], {
    dataFolder: house.server.dataFolder,
  })
  expect(stdout).toContain('account_sid=')
  expect(stdout).toContain('window=10')
  expect(stdout).not.toContain('api_key=')
}, 60_000)

import { createHmac } from 'node:crypto'
import { METHODS } from 'node:http'
import { expect, test } from 'vitest'
import { rawRequest } from '../api/raw-request.ts'
import { registrationOf } from './phone-fixture.ts'
import { deviceToken, offerOf, openRoutesHouse, privateToken } from './routes-house.ts'
import { app, received } from './said-by-app.ts'

test('check 5: //device works, as the app makes it of an address with a slash at its end', async () => {
  const { call } = await openRoutesHouse()
  expect(await call('POST', '//device', { token: privateToken, json: app })).toMatchObject({ status: 201 })
  expect(await call('PATCH', '//device', { json: {} })).toMatchObject({ status: 204 })
  for (const path of ['/message', '/settings', '/webhooks', '/device'])
    expect(await call('GET', `/${path}`), path).toMatchObject({ status: 200 })
})

test('a call shows by which address the phone came, as far as its host does', async () => {
  const { call, phone, port, clock } = await openRoutesHouse()
  const contact = { atMs: clock.now(), address: 'https://sms.example.org' }
  const callAs = (host: string) =>
    rawRequest(
      port,
      `GET /mobile/v1/message HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${deviceToken}\r\nConnection: close\r\n\r\n`,
    )
  expect(await callAs('192.168.1.10:8160')).toMatchObject({ status: 200 })
  expect(phone.health().contact).toBeUndefined()
  await call('GET', '/message')
  expect(phone.health().contact).toEqual({ ...contact, isCertain: false })
  await callAs('sms.example.org')
  expect(phone.health().contact).toEqual({ ...contact, isCertain: true })
})

test('codes and passwords are not there', async () => {
  const { call } = await openRoutesHouse()
  expect(await call('GET', '/user/code', { token: null })).toMatchObject({ status: 501 })
  expect(await call('PATCH', '/user/password', { json: {} })).toMatchObject({ status: 501 })
})

test('check 27: to a phone whose device is gone everything is 401', async () => {
  const { call, store, hook } = await openRoutesHouse()
  store.registration = null
  for (const [method, path] of [['PATCH', '/device'], ['GET', '/device'], ['GET', '/message'], ['PATCH', '/message'], ['GET', '/settings'], ['GET', '/webhooks'], ['GET', '/events']] as const)
    expect(await call(method, path), `${method} ${path}`).toMatchObject({ status: 401, body: { message: 'Unknown token.' } }) // prettier-ignore
  expect(await hook('system:ping', {})).toMatchObject({ status: 401 })
  expect(store.pulls).toBe(0)
})

test('wrong tokens of one address are answered 429 after some, and a right one still passes', async () => {
  const { call } = await openRoutesHouse({ phoneFailedAuthPerMinute: 3 })
  const wrong = () => call('PATCH', '/device', { token: 'wrong', json: {} })
  for (let n = 0; n < 3; n++) expect(await wrong()).toMatchObject({ status: 401 })
  const refused = await wrong()
  expect(refused).toMatchObject({ status: 429 })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await call('PATCH', '/device', { json: {} })).toMatchObject({ status: 204 })
  expect(await call('POST', '/device', { token: privateToken, json: app })).toMatchObject({ status: 201 })
})

test('each route takes its methods and answers 405 with Allow to every other', async () => {
  const { port, call } = await openRoutesHouse()
  const routes = new Map([
    ['/device', ['POST', 'PATCH', 'GET']],
    ['/message', ['GET', 'PATCH']],
    ['/settings', ['GET']],
    ['/webhooks', ['GET']],
    ['/events', ['GET']],
    ['/user/code', ['GET']],
    ['/user/password', ['PATCH']],
    ['/hooks/something-secret', ['POST']],
  ])
  for (const [path, allowed] of routes) {
    for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
      const answer = await rawRequest(
        port,
        `${method} /mobile/v1${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      )
      if (allowed.includes(method)) expect([200, 401, 501], `${method} ${path}`).toContain(answer.status)
      else
        expect(answer, `${method} ${path}`).toMatchObject({
          status: 405,
          headers: { allow: allowed.join(', ') },
        })
    }
  }
  for (const path of ['', '/', '/devices', '/device/', '/hooks', '/hooks/', '/hooks/a/b', '/message/1'])
    expect((await call('GET', path)).status, path).toBe(404)
})

test('the log names routes and devices, and holds no token, secret, number or text', async () => {
  const { logLines, call, hook, store } = await openRoutesHouse()
  store.offers = [offerOf()]
  await call('POST', '/device', { token: privateToken, json: app })
  await call('GET', '/message')
  await hook('sms:received', received)
  await hook('sms:received', received, { secret: 'hook-secret-2' })
  await call('GET', '/hooks/hook-secret-3', { token: null })
  await call('GET', '/hooks/onesixty/hook-secret-4', { token: null })
  const lines = logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines.find(({ path }) => path === '/mobile/v1/message')).toMatchObject({
    method: 'GET',
    status: 200,
    device: 'dev_1',
  })
  expect(lines.filter(({ path }) => path === '/mobile/v1/hooks/:secret').map(({ status }) => status)).toEqual(
    [204, 401, 405],
  )
  const log = logLines.join('\n')
  for (const secret of [
    'hook-secret-1',
    'hook-secret-2',
    'hook-secret-3',
    privateToken,
    deviceToken,
    'Hello',
    'STOP',
    '1234',
  ])
    expect(log).not.toContain(secret)
})

test.for([
  ['http://localhost:8160', 'sms.example.org', ['receives_nothing']],
  ['http://localhost:8160', '192.168.1.5:8160', ['receives_nothing']],
  // By a cable, as `adb reverse` leads it.
  ['http://127.0.0.1:8160', '127.0.0.1:8160', []],
  ['https://sms.example.org', 'sms.example.org', []],
  ['https://sms.example.org', 'SMS.example.org:443', []],
  ['https://sms.example.org', '192.168.1.5:8160', ['hook_address_differs']],
  ['https://sms.example.org', 'other.example.org', ['hook_address_differs']],
  // As a proxy names its target.
  ['https://sms.example.org', 'onesixty:8160', []],
  ['https://sms.example.org', '127.0.0.1:8160', []],
] as const)(
  'a phone that is told %s for what it receives, and comes by %s, has the reasons %j',
  async ([publicUrl, host, reasons]) => {
    const { port, phone } = await openRoutesHouse({ publicUrl })
    const head = `GET /mobile/v1/message HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${deviceToken}\r\nConnection: close`
    expect(await rawRequest(port, `${head}\r\n\r\n`)).toMatchObject({ status: 200 })
    expect(phone.health().reasons).toEqual(reasons)
    // As the app says of itself at its start: that call is of the same phone, which is told the same.
    const said = JSON.stringify({ id: 'phn_1', pushToken: null })
    const update = `PATCH /mobile/v1/device HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${deviceToken}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${said.length}`
    expect(await rawRequest(port, `${update}\r\n\r\n${said}`)).toMatchObject({ status: 204 })
    expect(phone.health().reasons).toEqual(reasons)
  },
)

test('a phone whose hooks may not arrive is as good as others from its first hook on', async () => {
  const { port, phone, clock } = await openRoutesHouse()
  phone.openStream({ write: () => undefined, pendingBytes: 0, end: () => undefined, cut: () => undefined })
  const host = 'Host: other.example.org\r\nConnection: close'
  await rawRequest(
    port,
    `GET /mobile/v1/message HTTP/1.1\r\n${host}\r\nAuthorization: Bearer ${deviceToken}\r\n\r\n`,
  )
  expect(phone.standing().reasons).toEqual(['hook_address_differs'])
  const body = JSON.stringify({ id: 'hook-1', event: 'app:started', payload: {} })
  const timestamp = String(Math.floor(clock.now() / 1_000))
  const signature = createHmac('sha256', registrationOf().signingKey)
    .update(body + timestamp)
    .digest('hex')
  const signed = `X-Timestamp: ${timestamp}\r\nX-Signature: ${signature}\r\nContent-Length: ${body.length}`
  const hook = `POST /mobile/v1/hooks/hook-secret-1 HTTP/1.1\r\n${host}\r\n${signed}\r\n\r\n${body}`
  expect(await rawRequest(port, hook)).toMatchObject({ status: 204 })
  expect(phone.standing()).toMatchObject({ status: 'online', reasons: [] })
})

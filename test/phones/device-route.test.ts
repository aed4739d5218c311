import { expect, test } from 'vitest'
import { invalidInput } from '../../src/runtime/invalid-input.ts'
import { deviceToken, openRoutesHouse, privateToken } from './routes-house.ts'
import { app, sim } from './said-by-app.ts'

test('check 1: a phone registers with the right private token, and with no other', async () => {
  const { call, store } = await openRoutesHouse()
  const right = await call('POST', '/device', { token: privateToken, json: app })
  expect(right.status).toBe(201)
  expect(right.headers.get('content-type')).toBe('application/json')
  expect(right.body).toEqual({ id: 'phn_1', token: deviceToken, login: 'Ada' })
  expect(store.registered).toEqual([
    {
      name: 'samsung/a12',
      sims: [{ slot: 1, number: '********1234', carrier: '**elco', iccid: '****0001' }],
      usesPush: false,
      appVersion: '1.68.0',
    },
  ])
  // The app sends what is typed in: GatewayApi of SMSGate gives the setting to `bearerAuth` unchanged.
  const asTyped = privateToken.replaceAll('_', ' - ')
  await call('POST', '/device', { token: ` ${asTyped}  `, json: app })
  expect(store.shown.at(-1)).toBe(asTyped)
  for (const headers of [{ authorization: 'Basic YTpi' }, { authorization: 'Code abcdef' }, {}])
    expect(await call('POST', '/device', { token: null, json: app, headers })).toMatchObject({ status: 401 })
  const wrong = await call('POST', '/device', { token: 'onesixty_phone_wrong', json: app })
  expect(wrong).toMatchObject({ status: 401, body: { message: 'Unknown token.' } })
  expect(store.registered).toHaveLength(1)
})

test('a phone beyond those that its owner may have is told so, and nobody takes it for a fault', async () => {
  const { call, store, logLines } = await openRoutesHouse()
  store.fault = invalidInput([
    { code: 'too_many_items', detail: 'There are 2 phones already: remove one first.' },
  ])
  const answer = await call('POST', '/device', { token: privateToken, json: app })
  expect(answer).toMatchObject({
    status: 422,
    body: { detail: 'There are 2 phones already: remove one first.' },
  })
  expect(logLines.join('')).not.toContain('"level":"error"')
})

test('check 2: an update with the token of another server is 401, which makes the app register anew', async () => {
  const { call, store } = await openRoutesHouse()
  expect(await call('PATCH', '/device', { token: 'of-another-server', json: { id: 'x' } })).toMatchObject({
    status: 401,
  })
  expect(store.updated).toEqual([])
})

test('check 3: an update with the right token and another id is taken by its token', async () => {
  const { call, store } = await openRoutesHouse()
  const answer = await call('PATCH', '/device', {
    json: { id: 'of-another', name: 'other/phone', simCards: [sim] },
  })
  expect(answer).toMatchObject({ status: 204, text: '' })
  expect(answer.headers.get('content-length')).toBeNull()
  expect(store.updated).toMatchObject([{ name: null, sims: [{ slot: 1 }] }])
})

test('check 4: an update without a push token says that there is none any more', async () => {
  const { call, store, phone } = await openRoutesHouse()
  await call('PATCH', '/device', { json: { id: 'phn_1', pushToken: 'of-google' } })
  expect(phone.health()).toMatchObject({ status: 'degraded', reasons: ['push_only'] })
  await call('PATCH', '/device', { json: { id: 'phn_1' } })
  expect(store.updated.map(({ usesPush }) => usesPush)).toEqual([true, false])
  expect(store.updated[1]).toMatchObject({ name: null, sims: null })
  expect(phone.health()).toMatchObject({ status: 'online', reasons: [] })
})

test('the app learns its own address, with its token or without', async () => {
  const { call } = await openRoutesHouse()
  for (const token of [null, deviceToken])
    expect(await call('GET', '/device', { token })).toMatchObject({
      status: 200,
      body: { externalIp: '127.0.0.1' },
    })
})

import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { startLocalPhone } from './local-phone.ts'

/**
 * The Local Server of the fake phone does what that of the app does (SMSGate 1.68, 0cdc5d8): WebService.kt, MessagesRoutes.kt, InboxRoutes.kt, SettingsRoutes.kt
 * and PostMessageRequest.kt below app/src/main/java/me/capcom/smsgateway/modules. The numbers of the facts are those of the design page.
 */
const message = (more: object = {}) => ({
  id: 'att_1',
  textMessage: { text: 'Hi' },
  phoneNumbers: ['+4915112345678'],
  ...more,
})
const path = '/message?skipPhoneValidation=true'

test('only the health is told without the password, and 500 has the same body', async () => {
  const { phones, ask } = await startLocalPhone()
  expect(await ask('GET', '/health', undefined, null)).toMatchObject({
    status: 200,
    json: { status: 'pass', version: '1.68.0', checks: { 'battery:level': { observedValue: 80 } } },
  })
  await phones.set({ batteryPercent: 5 })
  expect(await ask('GET', '/health', undefined, null)).toMatchObject({
    status: 500,
    json: { status: 'fail' },
  })
  for (const closed of ['/device', '/messages', '/inbox', '/settings'])
    expect((await ask('GET', closed, undefined, null)).status).toBe(401)
  expect((await ask('GET', '/devices')).status).toBe(404)
  const [device] = (await ask('GET', '/device')).json as [Record<string, unknown>]
  expect(device).toMatchObject({ name: 'samsung/a12', simCards: [{ phoneNumber: '+4915550001234' }] })
})

test('an id is taken once, and a second number beside its equal is a conflict too', async () => {
  const { phones, ask } = await startLocalPhone()
  expect(await ask('POST', path, message())).toMatchObject({
    status: 202,
    json: { id: 'att_1', state: 'Pending' },
  })
  expect((await ask('POST', path, message())).status).toBe(409)
  const twice = ['+4915112345678', '+4915112345678']
  expect((await ask('POST', path, message({ id: 'b', phoneNumbers: twice }))).status).toBe(409)
  await eventually(
    async () => (await ask('GET', '/message/att_1')).json,
    (json) => expect(json).toMatchObject({ state: 'Delivered' }),
  )
  expect(phones.all.radioLog()).toHaveLength(1)
})

const refusals = [
  ['an empty text', { textMessage: { text: '' } }],
  ['a text twice', { message: 'Hi' }],
  ['no SIM', { simNumber: 0 }],
  ['an end that is over', { validUntil: '2020-01-01T00:00:00.000Z' }],
  ['two ends', { validUntil: '2099-01-01T00:00:00.000Z', ttl: 60 }],
  ['a time that is over', { scheduleAt: '2020-01-01T00:00:00.000Z' }],
  ['another device', { deviceId: 'other' }],
] as const

test('what is wrong is refused before anything is stored', async () => {
  const { ask } = await startLocalPhone()
  for (const [what, more] of refusals) expect((await ask('POST', path, message(more))).status, what).toBe(400)
  expect((await ask('GET', '/message/att_1')).status).toBe(404)
})

test('the query of the validation is read strictly', async () => {
  const { ask } = await startLocalPhone()
  expect((await ask('POST', '/message?skipPhoneValidation=True', message())).status).toBe(400)
})

test('only what is pending can be cancelled, and not before 1.67', async () => {
  const { phones, ask } = await startLocalPhone({ holdPending: true })
  await ask('POST', path, message())
  expect(await ask('DELETE', '/message/att_1')).toMatchObject({ status: 200, json: { state: 'Cancelled' } })
  expect((await ask('DELETE', '/message/att_2')).status).toBe(404)
  await phones.set({ holdPending: false })
  await ask('POST', path, message({ id: 'att_2' }))
  expect((await ask('DELETE', '/message/att_2')).status).toBe(400)
  await phones.set({ appVersion: '1.66.0' })
  expect((await ask('DELETE', '/message/att_2')).status).toBe(405)
})

test('what is scheduled after its end is never sent', async () => {
  const { phones, ask } = await startLocalPhone()
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString()
  await ask('POST', path, message({ validUntil: at(60_000), scheduleAt: at(86_400_000) }))
  expect(await ask('DELETE', '/message/att_1')).toMatchObject({ json: { state: 'Cancelled' } })
  expect((await ask('POST', path, message())).status).toBe(409)
  expect(phones.all.radioLog()).toEqual([])
})

test('the inbox has a late SMS below others, loses one of two with the same hash, and is 404 before 1.59', async () => {
  const { phones, ask } = await startLocalPhone()
  const now = Math.floor(Date.now() / 1_000) * 1_000
  await phones.all.receiveSms({ from: '+491', text: 'first', receivedAtMs: now })
  await phones.all.receiveSms({ from: '+491', text: 'late', receivedAtMs: now - 3_600_000 })
  await phones.all.receiveSms({ from: '+492', text: 'Aa', receivedAtMs: now })
  await phones.all.receiveSms({ from: '+492', text: 'BB', receivedAtMs: now })
  const inbox = await ask('GET', '/inbox?type=SMS&limit=500')
  expect(inbox.total).toBe('3')
  const rows = inbox.json as { contentPreview: string }[]
  expect(rows.map(({ contentPreview }) => contentPreview).toSorted()).toEqual(['Aa', 'first', 'late'])
  expect(rows.at(-1)?.contentPreview).toBe('late')
  expect((await ask('GET', '/inbox?limit=501')).status).toBe(400)
  await phones.set({ appVersion: '1.58.0' })
  expect((await ask('GET', '/inbox')).status).toBe(404)
})

test('a refresh finds what the app has missed', async () => {
  const { phones, ask } = await startLocalPhone()
  await phones.all.receiveSms({ from: '+491', text: 'missed', isMissed: true })
  expect((await ask('GET', '/inbox')).total).toBe('0')
  const until = new Date(Date.now() + 60_000).toISOString()
  expect((await ask('POST', '/inbox/refresh', { until })).status).toBe(400)
  const body = { since: '2020-01-01T00:00:00.000Z', until, messageTypes: ['SMS'] }
  expect((await ask('POST', '/inbox/refresh', body)).status).toBe(202)
  expect((await ask('GET', '/inbox')).total).toBe('1')
})

test('cleared data take messages, settings and password with them, and leave the id of the installation', async () => {
  const { phones, ask, password } = await startLocalPhone()
  const [before] = (await ask('GET', '/device')).json as [{ id: string }]
  await ask('PATCH', '/settings', { messages: { log_lifetime_days: 30, processing_order: 'FIFO' } })
  const settings = { messages: { log_lifetime_days: 30, processing_order: 'FIFO' } }
  expect((await ask('GET', '/settings')).json).toMatchObject(settings)
  expect(phones.all.notes('settings-notice')).toHaveLength(1)
  await ask('PATCH', '/settings', settings)
  expect(phones.all.notes('settings-notice')).toHaveLength(1)
  await ask('POST', path, message())
  await phones.all.clearData()
  expect((await ask('GET', '/device')).status).toBe(401)
  const { localPassword } = await phones.phone(0).view()
  expect(localPassword).not.toBe(password)
  const own = `Basic ${Buffer.from(`sms:${localPassword}`).toString('base64')}`
  expect((await ask('GET', '/message/att_1', undefined, own)).status).toBe(404)
  expect((await ask('GET', '/device', undefined, own)).json).toMatchObject([{ id: before.id }])
  const fresh = (await ask('GET', '/settings', undefined, own)).json as typeof settings
  expect(fresh.messages.processing_order).toBe('LIFO')
  expect(fresh.messages.log_lifetime_days).toBeUndefined()
})

test('an answer that is cut was acted on, a request that is cut was not', async () => {
  const { phones, ask } = await startLocalPhone({ localFaultOn: 'POST', localFault: 'cut-after' })
  await expect(ask('POST', path, message())).rejects.toThrow('fetch failed')
  expect((await ask('GET', '/message/att_1')).status).toBe(200)
  await phones.set({ localFault: 'cut-before' })
  await expect(ask('POST', path, message({ id: 'att_2' }))).rejects.toThrow('fetch failed')
  expect((await ask('GET', '/message/att_2')).status).toBe(404)
})

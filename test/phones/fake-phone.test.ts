import { describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { item, openPhones, openStubPhoneServer, type Received } from './stub-phone-server.ts'

/** The fake phone does what the app does, as far as a server can see it. */

const idsOf = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id)
const statesOf = (reports: readonly Received[]): string[] =>
  reports.map(({ body }) => (body as { state: string }[])[0]!.state)

describe('a phone that was never registered', () => {
  it('registers with the private token and its masked SIM, opens a stream, and pulls when it is open', async () => {
    const server = await openStubPhoneServer()
    const phones = await openPhones(server)
    await eventually(
      () => server.at('GET', '/message'),
      (pulls) => expect(pulls).toHaveLength(1),
    )

    expect(server.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /device',
      'GET /events',
      'GET /message?order=lifo',
    ])
    const [registration, stream, pull] = server.received as [Received, Received, Received]
    expect(registration.headers).toMatchObject({ authorization: 'Bearer private-1', 'user-agent': 'me.capcom.smsgateway/1.68.0' }) // prettier-ignore
    expect(registration.body).toEqual({
      name: 'samsung/a12',
      simCards: [
        {
          slotIndex: 0,
          simNumber: 1,
          phoneNumber: '**********1234',
          carrierName: '*elco',
          iccid: '***************0001',
        },
      ],
    })
    expect(stream.headers).toMatchObject({ authorization: 'Bearer token-1', 'user-agent': 'okhttp/4.10.0' })
    expect(pull.headers.authorization).toBe('Bearer token-1')
    expect(await phones.phone(0).view()).toMatchObject({ registration: { id: 'device-1' }, openStreams: 1 })
  })

  it('registers with a push token and without a stream when Google tells it of news', async () => {
    const server = await openStubPhoneServer()
    await openPhones(server, { channel: 'push', pollEveryMs: 10_000 })
    await eventually(
      () => server.at('GET', '/message'),
      (pulls) => expect(pulls.length).toBeGreaterThan(1),
    )
    expect(server.at('POST', '/device')[0]!.body).toHaveProperty('pushToken')
    expect(server.at('GET', '/events')).toEqual([])
  })
})

describe('a phone with the registration of another server', () => {
  it('gives it up on 401', async () => {
    const server = await openStubPhoneServer()
    server.route('PATCH /device', () => ({ status: 401 }))
    const phones = await openPhones(server, { foreignToken: true })
    await eventually(
      () => phones.all.notes('registered'),
      (notes) => expect(notes).toHaveLength(1),
    )
    expect(server.at('POST', '/device')).toHaveLength(1)
    expect(server.at('PATCH', '/device')[0]!.body).not.toHaveProperty('pushToken')
  })

  it('tries its old token again and again on 403', async () => {
    const server = await openStubPhoneServer()
    server.route('PATCH /device', () => ({ status: 403 }))
    await openPhones(server, { foreignToken: true })
    await eventually(
      () => server.at('PATCH', '/device'),
      (tries) => expect(tries.length).toBeGreaterThan(2),
    )
    expect(server.at('POST', '/device')).toEqual([])
  })
})

describe('a pull', () => {
  it('sends each message once, however often it comes, and reports it again instead', async () => {
    const server = await openStubPhoneServer()
    server.route('GET /message', () => ({ json: [item('m1')] }))
    const phones = await openPhones(server, { outcome: 'sent', pollEveryMs: 4_000 })
    await eventually(
      () => server.at('GET', '/message'),
      (pulls) => expect(pulls.length).toBeGreaterThan(5),
    )
    expect(phones.phone(0).radioLog()).toMatchObject([
      { id: 'm1', to: '+4915112345678', text: 'Text of m1', parts: 1, left: true, times: 1 },
    ])
    await eventually(
      () => server.at('PATCH', '/message'),
      (reports) => expect(reports.length).toBeGreaterThan(3),
    )
  })

  it('drops a message with the same number twice, and says nothing of it', async () => {
    const server = await openStubPhoneServer()
    const twice = item('twice', { phoneNumbers: ['+4915112345678', '+4915112345678'] })
    server.route('GET /message', () => ({ json: [twice, item('right')] }))
    const phones = await openPhones(server, { outcome: 'sent' })
    await eventually(
      () => statesOf(server.at('PATCH', '/message')),
      (states) => expect(states).toContain('Sent'),
    )
    expect(idsOf(phones.all.radioLog())).toEqual(['right'])
    expect(phones.all.notes('message-dropped')).toMatchObject([{ detail: { id: 'twice' } }])
    expect(server.at('PATCH', '/message').some(({ text }) => text.includes('twice'))).toBe(false)
  })

  it('takes nothing of a page with one malformed item, and asks again until it is mended', async () => {
    const server = await openStubPhoneServer()
    let bad: unknown = item('bad', { validUntil: 'tomorrow' })
    server.route('GET /message', () => ({ json: [item('good'), bad] }))
    const phones = await openPhones(server)
    await eventually(
      () => server.at('GET', '/message'),
      (pulls) => expect(pulls.length).toBeGreaterThan(3),
    )
    expect(phones.all.radioLog()).toEqual([])
    bad = item('bad')
    await eventually(
      () => idsOf(phones.all.radioLog()),
      (ids) => expect(ids.toSorted()).toEqual(['bad', 'good']),
    )
  })

  it('reads six digits of a fraction as milliseconds', async () => {
    const server = await openStubPhoneServer()
    const overdue = new Date(Date.now() - 60_000).toISOString()
    const validUntil = (fraction: string): string => overdue.replace(/\.\d+Z/, `.${fraction}Z`)
    server.route('GET /message', () => ({
      json: [
        item('three', { validUntil: validUntil('123') }),
        item('six', { validUntil: validUntil('900000') }),
      ],
    }))
    const phones = await openPhones(server)
    await eventually(
      () => phones.all.radioLog(),
      (sms) => expect(idsOf(sms)).toEqual(['six']),
    )
    await eventually(
      () => server.at('PATCH', '/message').map(({ body }) => (body as [Record<string, unknown>])[0]),
      (reports) =>
        expect(reports).toContainEqual(
          expect.objectContaining({
            id: 'three',
            recipients: [{ phoneNumber: '+4915112345678', state: 'Failed', error: 'TTL expired' }],
          }),
        ),
    )
  })

  it('keeps asking while the server refuses it, whatever the status', async () => {
    const server = await openStubPhoneServer()
    const statuses = [401, 403, 500]
    server.route('GET /message', () => ({ status: statuses.shift() ?? 200, json: [item('m1')] }))
    const phones = await openPhones(server)
    await eventually(
      () => phones.all.radioLog(),
      (sms) => expect(idsOf(sms)).toEqual(['m1']),
    )
    expect(phones.all.requests('GET', '/message').map(({ status }) => status)).toEqual([401, 403, 500, 200])
    expect(server.at('POST', '/device')).toHaveLength(1)
  })

  it('cancels what was not sent, and before 1.67 sends what is being cancelled', async () => {
    const server = await openStubPhoneServer()
    server.route('GET /message', () => ({ json: [item('m1', { state: 'Cancelling' })] }))
    const [newer, older] = await Promise.all([
      openPhones(server),
      openPhones(server, { appVersion: '1.66.0' }),
    ])
    await eventually(
      () => older.all.radioLog(),
      (sms) => expect(idsOf(sms)).toEqual(['m1']),
    )
    await eventually(() => statesOf(server.at('PATCH', '/message')), (states) => expect(states).toContain('Cancelled')) // prettier-ignore
    expect(newer.all.radioLog()).toEqual([])
  })

  it('tells Pending of what the phone holds back only when it is pulled again', async () => {
    const server = await openStubPhoneServer()
    server.route('GET /message', () => ({ json: [item('m1')] }))
    const phones = await openPhones(server, { holdPending: true })
    await eventually(
      () => server.at('GET', '/message'),
      (pulls) => expect(pulls).toHaveLength(1),
    )
    expect(server.at('PATCH', '/message')).toEqual([])
    server.tell('MessageEnqueued')
    await eventually(() => statesOf(server.at('PATCH', '/message')), (states) => expect(states).toEqual(['Pending'])) // prettier-ignore
    await phones.set({ holdPending: false })
    await eventually(
      () => phones.all.radioLog(),
      (sms) => expect(sms).toHaveLength(1),
    )
  })
})

describe('pushed settings', () => {
  const tell = async (settings: () => unknown) => {
    const server = await openStubPhoneServer()
    server.route('GET /settings', () => ({ json: settings() }))
    const phones = await openPhones(server)
    await eventually(
      () => server.streams,
      (streams) => expect(streams).toHaveLength(1),
    )
    server.tell('SettingsUpdated')
    return { server, phone: phones.phone(0) }
  }

  it('are asked for again and again while one of them is no word of its enum', async () => {
    let order = 'OLDEST'
    const { server, phone } = await tell(() => ({ messages: { processing_order: order } }))
    await eventually(
      () => server.at('GET', '/settings'),
      (all) => expect(all.length).toBeGreaterThan(2),
    )
    expect((await phone.view()).settings.processingOrder).toBe('LIFO')
    order = 'FIFO'
    await eventually(phone.view, ({ settings }) => expect(settings.processingOrder).toBe('FIFO'))
    server.tell('MessageEnqueued')
    await eventually(
      () => server.at('GET', '/message'),
      (pulls) => expect(pulls.at(-1)!.path).toBe('/message?order=fifo'),
    )
  })

  it('hold messages back at the pace of the phone', async () => {
    const limits = { limit_period: 'PerMinute', limit_value: 2 }
    const { server, phone } = await tell(() => ({ messages: limits, ping: { interval_seconds: 30 } }))
    await eventually(phone.view, ({ settings }) => expect(settings.limitValue).toBe(2))
    server.route('GET /message', () => ({ json: ['m1', 'm2', 'm3'].map((id) => item(id)) }))
    server.tell('MessageEnqueued')
    const sms = await eventually(phone.radioLog, (all) => expect(all).toHaveLength(3))
    expect(sms[2]!.at - sms[1]!.at).toBeGreaterThanOrEqual(60_000 / 200 - 2)
  })

  it('make it ping after its next start', async () => {
    const { server, phone } = await tell(() => ({ ping: { interval_seconds: 20 } }))
    await eventually(phone.view, ({ settings }) => expect(settings.pingEveryS).toBe(20))
    const before = server.at('GET', '/message').length
    expect(before).toBe(1)
    await phone.restart()
    await eventually(
      () => server.at('GET', '/message'),
      (pulls) => expect(pulls.length).toBeGreaterThan(5),
    )
  })
})

describe('a phone', () => {
  it('forgets its messages when the app is installed anew, and keeps them over a restart', async () => {
    const server = await openStubPhoneServer()
    server.route('GET /message', () => ({ json: [item('m1')] }))
    const phones = await openPhones(server, { zone: '+-5:00' })
    const phone = phones.phone(0)
    await eventually(
      () => phone.radioLog(),
      (sms) => expect(sms).toHaveLength(1),
    )
    await phone.restart()
    await eventually(
      () => phone.requests('GET', '/message').filter(({ status }) => status === 200),
      (pulls) => expect(pulls.length).toBeGreaterThan(1),
    )
    await eventually(
      () => server.at('GET', '/settings'),
      (all) => expect(all).toHaveLength(1),
    )
    expect(phone.radioLog()).toHaveLength(1)
    const reports = await eventually(() => server.at('PATCH', '/message'), (all) => expect(all.length).toBeGreaterThan(0)) // prettier-ignore
    expect(reports[0]!.text).toMatch(/"Processed":"[-\dT:.]+\+-5:00"/)
    await phone.reinstall()
    await eventually(
      () => phone.radioLog(),
      (sms) => expect(sms.map(({ times }) => times)).toEqual([1, 1]),
    )
    expect(server.at('POST', '/device')).toHaveLength(2)
  })

  it('leaves its log behind when it is killed', async () => {
    const server = await openStubPhoneServer()
    server.route('GET /message', () => ({ json: [item('m1')] }))
    const phones = await openPhones(server, { count: 3 })
    await eventually(
      () => phones.all.radioLog(),
      (sms) => expect(sms).toHaveLength(3),
    )
    await phones.kill()
    expect(phones.phone(2).radioLog()).toMatchObject([{ phone: 2, id: 'm1' }])
  })
})

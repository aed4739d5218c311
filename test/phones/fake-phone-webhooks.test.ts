import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { openPhones, openStubPhoneServer, type Received } from './stub-phone-server.ts'

/** What the fake phone tells the URLs of its webhooks. */

describe('webhooks', () => {
  const hooks = (baseUrl: string, ...events: string[]) =>
    events.map((event) => ({ id: `hook-${event}`, url: `${baseUrl}/hooks/secret`, event }))

  it('tell an SMS that came, signed with the pushed key, again after a refusal under the same id', async () => {
    const server = await openStubPhoneServer()
    server.route('GET /webhooks', () => ({ json: hooks(server.baseUrl, 'sms:received') }))
    server.route('GET /settings', () => ({ json: { webhooks: { signing_key: 'key-1' } } }))
    const statuses = [500, 200]
    server.route('POST /hooks/secret', () => ({ status: statuses.shift() ?? 200 }))
    const phones = await openPhones(server)
    await eventually(
      () => server.streams,
      (streams) => expect(streams).toHaveLength(1),
    )
    server.tell('WebhooksUpdated')
    server.tell('SettingsUpdated')
    const phone = phones.phone(0)
    await eventually(phone.view, (view) =>
      expect(view).toMatchObject({ webhooks: [{}], settings: { signingKey: 'key-1' } }),
    )
    await phones.receiveSms(phone, { from: '+4917099', text: 'Grüße' })
    const posts = await eventually(
      () => server.at('POST', '/hooks/secret'),
      (all) => expect(all).toHaveLength(2),
    )
    const [first, second] = posts as [Received, Received]
    expect(first.body).toMatchObject({
      webhookId: 'hook-sms:received',
      event: 'sms:received',
      deviceId: 'device-1',
      payload: {
        message: 'Grüße',
        sender: '+4917099',
        phoneNumber: '+4917099',
        simNumber: 1,
        receivedAt: expect.stringMatching(/\.000\+03:00$/) as string,
      },
    })
    expect(second.text).toBe(first.text)
    for (const { headers, text } of posts) {
      const signed = `${text}${headers['x-timestamp'] as string}`
      expect(headers['x-signature']).toBe(createHmac('sha256', 'key-1').update(signed).digest('hex'))
    }
  })

  it('tell the same SMS once unless they are told to double it', async () => {
    const server = await openStubPhoneServer()
    server.route('GET /webhooks', () => ({ json: hooks(server.baseUrl, 'sms:received', 'system:ping') }))
    server.route('POST /hooks/secret', () => ({}))
    const phones = await openPhones(server)
    await eventually(
      () => server.streams,
      (streams) => expect(streams).toHaveLength(1),
    )
    server.tell('WebhooksUpdated')
    const phone = phones.phone(0)
    await eventually(phone.view, ({ webhooks }) => expect(webhooks).toHaveLength(2))
    const sms = { from: '+4917099', text: 'Hi', receivedAtMs: 1_700_000_000_000 }
    await phone.receiveSms(sms)
    await phone.receiveSms(sms)
    await phone.set({ webhookDouble: 1, batteryPercent: 9 })
    await phone.receiveSms({ ...sms, text: 'Again' })
    await phone.ping()
    const posts = await eventually(
      () => server.at('POST', '/hooks/secret'),
      (all) => expect(all).toHaveLength(5),
    )
    const bodies = posts.map(
      ({ body }) => body as { id: string; event: string; payload: Record<string, unknown> },
    )
    expect(bodies.map(({ payload }) => payload['message'])).toEqual([
      'Hi',
      'Again',
      'Again',
      undefined,
      undefined,
    ])
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(5)
    expect(bodies[4]!.payload).toMatchObject({
      health: { status: 'fail', checks: { 'battery:level': { observedValue: 9 } } },
    })
  })

  it('tell of what the app had missed when the server asks for an export, and of nothing twice', async () => {
    const server = await openStubPhoneServer()
    server.route('GET /webhooks', () => ({ json: hooks(server.baseUrl, 'sms:received') }))
    server.route('POST /hooks/secret', () => ({}))
    const phones = await openPhones(server)
    const phone = phones.phone(0)
    await eventually(
      () => server.streams,
      (streams) => expect(streams).toHaveLength(1),
    )
    server.tell('WebhooksUpdated')
    await eventually(phone.view, ({ webhooks }) => expect(webhooks).toHaveLength(1))
    await phone.receiveSms({ from: '+4917099', text: 'missed', isMissed: true })
    await phone.receiveSms({ from: '+4917099', text: 'heard' })
    server.tell('MessagesExportRequested', {
      since: '2020-01-01T00:00:00.000Z',
      until: '2100-01-01T00:00:00.000Z',
    })
    const posts = await eventually(
      () => server.at('POST', '/hooks/secret'),
      (all) => expect(all).toHaveLength(2),
    )
    expect(
      posts.map(({ text }) => (JSON.parse(text) as { payload: { message: string } }).payload.message),
    ).toEqual(['heard', 'missed'])
    expect(phones.all.notes('inbound-skipped')).toMatchObject([{ detail: { text: 'heard' } }])
  })

  it('stay as they were when the list names an event that the version lacks', async () => {
    const server = await openStubPhoneServer()
    server.route('GET /webhooks', () => ({ json: hooks(server.baseUrl, 'sms:received', 'sms:cancelled') }))
    const phones = await openPhones(server, { appVersion: '1.66.0' })
    await eventually(
      () => server.streams,
      (streams) => expect(streams).toHaveLength(1),
    )
    server.tell('WebhooksUpdated')
    await eventually(
      () => server.at('GET', '/webhooks'),
      (all) => expect(all.length).toBeGreaterThan(2),
    )
    expect((await phones.phone(0).view()).webhooks).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { signWebhook } from '../peers/fake-phone/webhook-queue.ts'
import {
  item,
  openPhones,
  openStubPhoneServer,
  type Received,
  type StubPhoneServer,
} from './stub-phone-server.ts'

/** What the fake phone tells: reports of its messages, and webhooks; and how it listens. */

const reportsOf = (server: StubPhoneServer, id: string): Received[] =>
  server.at('PATCH', '/message').filter(({ body }) => (body as { id: string }[])[0]!.id === id)
const statesOf = (reports: readonly Received[]): string[] =>
  reports.map(({ body }) => (body as { state: string }[])[0]!.state)

describe('reports', () => {
  it('are tried again after a refusal, with the state of that moment', async () => {
    const server = await openStubPhoneServer()
    let isBroken = true
    server.route('GET /message', () => ({ json: [item('m1')] }))
    server.route('PATCH /message', () => ({ status: isBroken ? 503 : 204 }))
    await openPhones(server, { reportJitterMs: 0, deliveredAfterMs: 1_000 })
    await eventually(() => statesOf(server.at('PATCH', '/message')), (states) => expect(states).toContain('Delivered')) // prettier-ignore
    isBroken = false
    const before = server.at('PATCH', '/message').length
    await eventually(
      () => server.at('PATCH', '/message'),
      (all) => expect(all.length).toBeGreaterThan(before),
    )
    expect(statesOf(server.at('PATCH', '/message').slice(before))).toContain('Delivered')
  })

  it.for([
    ['delivered', ['Processed', 'Sent', 'Delivered']],
    ['sent', ['Processed', 'Sent']],
    ['missing-sent', ['Processed', 'Delivered']],
    ['hang', ['Processed']],
    ['failed', ['Processed', 'Failed']],
    ['exception', ['Failed']],
    ['undelivered', ['Processed', 'Sent', 'Failed']],
    ['regress', ['Processed', 'Sent', 'Delivered', 'Sent']],
  ] as const)('of the outcome %s are these, in this order without jitter', async ([outcome, states]) => {
    const server = await openStubPhoneServer()
    const last = item('last', { phoneNumbers: ['+4915100000000'], priority: -1 })
    server.route('GET /message', () => ({ json: [item('m1'), last] }))
    const phones = await openPhones(server, {
      outcome,
      outcomeOf: { '+4915100000000': 'regress' },
      reportJitterMs: 0,
      sentAfterMs: 10_000,
      deliveredAfterMs: 10_000,
    })
    // Nothing of the first message is still to come when the other, which takes longest, has ended.
    await eventually(
      () => statesOf(reportsOf(server, 'last')),
      (seen) => expect(seen).toEqual(['Processed', 'Sent', 'Delivered', 'Sent']),
    )
    await eventually(
      () => statesOf(reportsOf(server, 'm1')),
      (seen) => expect(seen).toEqual(states),
    )
    const radioed = phones.all.radioLog().filter(({ id }) => id === 'm1')
    expect(radioed.map(({ left }) => left)).toEqual(outcome === 'exception' ? [] : [outcome !== 'failed'])
  })

  it('overtake each other and come twice when they are told to', async () => {
    const server = await openStubPhoneServer()
    server.route('GET /message', () => ({ json: Array.from({ length: 20 }, (_, n) => item(`m${n}`)) }))
    await openPhones(server, {
      reportReorder: 0.5,
      reportDuplicate: 1,
      sentAfterMs: 500,
      deliveredAfterMs: 500,
    })
    const ranks = ['Processed', 'Sent', 'Delivered']
    await eventually(
      () => server.at('PATCH', '/message'),
      (all) => expect(all).toHaveLength(120),
    )
    const isOvertaken = Array.from({ length: 20 }, (_, n) => `m${n}`).some((id) => {
      const seen = statesOf(reportsOf(server, id)).map((state) => ranks.indexOf(state))
      return seen.some((rank, place) => rank < Math.max(...seen.slice(0, place)))
    })
    expect(isOvertaken).toBe(true)
  })
})

describe('event streams', () => {
  it('come back after five seconds, and pull', async () => {
    const server = await openStubPhoneServer()
    const phones = await openPhones(server)
    await eventually(
      () => server.at('GET', '/message'),
      (pulls) => expect(pulls).toHaveLength(1),
    )
    server.streams[0]!.end()
    await eventually(
      () => server.at('GET', '/message'),
      (pulls) => expect(pulls).toHaveLength(2),
    )
    const [, closed, opened] = phones.all.streamLog().filter(({ what }) => what !== 'comment')
    expect(opened!.at - closed!.at).toBeGreaterThanOrEqual(5_000 / 200 - 1)
  })

  it('end together when the older of two is closed', async () => {
    const server = await openStubPhoneServer()
    const phones = await openPhones(server, { streams: 2 })
    await eventually(
      () => server.streams,
      (streams) => expect(streams).toHaveLength(2),
    )
    server.streams[0]!.end()
    await eventually(
      () => phones.all.streamLog('closed'),
      (closed) => expect(closed).toHaveLength(2),
    )
    await eventually(
      () => phones.all.streamLog('opened'),
      (opened) => expect(opened).toHaveLength(4),
    )
  })

  it('wait for the end of an outage', async () => {
    const server = await openStubPhoneServer()
    const phones = await openPhones(server)
    await eventually(
      () => server.streams,
      (streams) => expect(streams).toHaveLength(1),
    )
    await phones.phone(0).goOffline()
    await eventually(
      () => server.streams,
      (streams) => expect(streams).toHaveLength(0),
    )
    const before = server.received.length
    await eventually(
      () => phones.all.requests('GET', '/events'),
      (all) => expect(all.length).toBeGreaterThan(2),
    )
    expect(server.received).toHaveLength(before)
    await phones.phone(0).goOnline()
    await eventually(
      () => server.streams,
      (streams) => expect(streams).toHaveLength(1),
    )
  })
})

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
    await eventually(phone.view, (view) => expect(view).toMatchObject({ webhooks: [{}], settings: { signingKey: 'key-1' } })) // prettier-ignore
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
      expect(headers['x-signature']).toBe(signWebhook('key-1', text, headers['x-timestamp'] as string))
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
    expect(bodies[4]!.payload).toMatchObject({ health: { status: 'fail', checks: { 'battery:level': { observedValue: 9 } } } }) // prettier-ignore
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

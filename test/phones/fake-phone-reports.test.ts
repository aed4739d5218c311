import { describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import {
  item,
  openPhones,
  openStubPhoneServer,
  type Received,
  type StubPhoneServer,
} from './stub-phone-server.ts'

/** What the fake phone reports of its messages, and how it listens. */

const reportsOf = (server: StubPhoneServer, id: string): Received[] =>
  server.at('PATCH', '/message').filter(({ body }) => (body as { id: string }[])[0]!.id === id)
const statesOf = (reports: readonly Received[]): string[] =>
  reports.map(({ body }) => (body as { state: string }[])[0]!.state)

describe('reports', () => {
  it('are tried again after refusals, with the state of that moment', async () => {
    const server = await openStubPhoneServer()
    let isBroken = true
    server.route('GET /message', () => ({ json: [item('m1')] }))
    server.route('PATCH /message', () => ({ status: isBroken ? 503 : 204 }))
    const phones = await openPhones(server, { deliveredAfterMs: 1_000 })
    await eventually(
      () => server.at('PATCH', '/message'),
      (all) => expect(all.length).toBeGreaterThan(6),
    )
    isBroken = false
    await eventually(phones.phone(0).view, ({ reportsWaiting }) => expect(reportsWaiting).toBe(0))
    const taken = phones.all.requests('PATCH', '/message').filter(({ status }) => status === 204)
    expect(taken.map(({ body }) => (body as { state: string }[])[0]!.state)).toEqual(
      Array.from({ length: 3 }, () => 'Delivered'),
    )
    expect(phones.all.notes('report-lost')).toEqual([])
  })

  it.for([
    ['delivered', 'Delivered', ['Pending', 'Processed', 'Sent', 'Delivered'], 3],
    ['sent', 'Sent', ['Pending', 'Processed', 'Sent'], 2],
    ['missing-sent', 'Delivered', ['Pending', 'Processed', 'Delivered'], 2],
    ['hang', 'Processed', ['Pending', 'Processed'], 1],
    ['failed', 'Failed', ['Pending', 'Processed', 'Failed'], 2],
    ['exception', 'Failed', ['Pending', 'Failed'], 1],
    ['undelivered', 'Failed', ['Pending', 'Processed', 'Sent', 'Failed'], 3],
    ['regress', 'Sent', ['Pending', 'Processed', 'Sent', 'Delivered'], 4],
  ] as const)(
    'of the outcome %s end with %s, one for each change',
    async ([outcome, end, states, reports]) => {
      const server = await openStubPhoneServer()
      const last = item('last', { phoneNumbers: ['+4915100000000'], priority: -1 })
      server.route('GET /message', () => ({ json: [item('m1'), last] }))
      const phones = await openPhones(server, {
        outcome,
        outcomeOf: { '+4915100000000': 'regress' },
        sentAfterMs: 10_000,
        deliveredAfterMs: 10_000,
      })
      // Nothing of the first message is still to come when the other, which takes longest, has ended.
      await eventually(
        () => reportsOf(server, 'last'),
        (all) => expect(all).toHaveLength(4),
      )
      const view = await eventually(phones.phone(0).view, ({ reportsWaiting }) =>
        expect(reportsWaiting).toBe(0),
      )
      const message = view.messages.find(({ id }) => id === 'm1')!
      expect(message.recipients.map(({ state }) => state)).toEqual([end])
      expect(Object.keys(message.states)).toEqual(states)
      expect(reportsOf(server, 'm1')).toHaveLength(reports)
      const radioed = phones.all.radioLog().filter(({ id }) => id === 'm1')
      expect(radioed.map(({ left }) => left)).toEqual(outcome === 'exception' ? [] : [outcome !== 'failed'])
    },
  )

  it('overtake each other and come twice when they are told to', async () => {
    const server = await openStubPhoneServer()
    server.route('GET /message', () => ({ json: Array.from({ length: 20 }, (_, n) => item(`m${n}`)) }))
    await openPhones(server, {
      // The changes are further apart than a busy machine stands still, or each report would tell the last of them.
      timeScale: 20,
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
    // The stream opens beside the pull, and may be logged behind it.
    const [, closed, opened] = await eventually(
      () => phones.all.streamLog().filter(({ what }) => what !== 'comment'),
      (log) => expect(log).toHaveLength(3),
    )
    expect(opened!.at - closed!.at).toBeGreaterThanOrEqual(5_000 / 200 - 1)
  })

  it('end together when the older of two is closed', async () => {
    const server = await openStubPhoneServer()
    const phones = await openPhones(server, { streams: 2 })
    await eventually(
      () => server.streams,
      (streams) => expect(streams).toHaveLength(2),
    )
    // Which of the two was asked for first, the phone alone knows.
    const [one, other] = server.streams
    one!.write('event: Nothing\ndata: {}\n\n')
    const [heard] = await eventually(
      () => phones.all.streamLog('event'),
      (events) => expect(events).toHaveLength(1),
    )
    const numbers = phones.all.streamLog('opened').map(({ stream }) => stream)
    expect(numbers).toHaveLength(2)
    const older = heard!.stream === Math.min(...numbers) ? one : other
    older!.end()
    await eventually(
      () => phones.all.streamLog('closed'),
      (closed) => expect(closed).toHaveLength(2),
    )
    await eventually(
      () => phones.all.streamLog('opened'),
      (opened) => expect(opened).toHaveLength(4),
    )
  })

  it('bring nothing while they are half open', async () => {
    const server = await openStubPhoneServer()
    server.route('GET /message', () => ({ json: [item('m1')] }))
    const phones = await openPhones(server, { halfOpen: true, pollEveryMs: 100_000 })
    await eventually(
      () => phones.all.radioLog(),
      (sms) => expect(sms).toHaveLength(1),
    )
    server.route('GET /message', () => ({ json: [item('m2')] }))
    server.tell('MessageEnqueued')
    // Only its own poll finds it.
    await eventually(
      () => phones.all.radioLog(),
      (sms) => expect(sms).toHaveLength(2),
    )
    expect(phones.all.streamLog('event')).toEqual([])
    await phones.set({ halfOpen: false })
    await eventually(
      () => phones.all.streamLog('event'),
      (events) => expect(events).toHaveLength(1),
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

import { expect, test } from 'vitest'
import { type Pdu, tlvTags } from '../../src/smpp/codec/pdu.ts'
import { bytesOf } from './pdu-arbitraries.ts'
import { bindSession, delivery, message, nack, silentTo, startSession, turns } from './session-fixture.ts'

test('when the peer closes, what was written is unknown and what waited was not written', async () => {
  const { session, smsc } = await bindSession({ answering: silentTo('submit_sm'), settings: { window: 3 } })
  const requests = [1, 2, 3, 4, 5].map(() => session.request('submit_sm', message))
  await smsc.seen('submit_sm', 3)
  smsc.socket().end()
  const unknown = { kind: 'unknown', reason: 'closed' }
  const notWritten = { kind: 'not_written', reason: 'closed' }
  expect(await Promise.all(requests)).toMatchObject([unknown, unknown, unknown, notWritten, notWritten])
  expect(await session.ended).toMatchObject({ kind: 'peer_closed' })
})

test('an answer that we had received and not looked at counts when the connection breaks', async () => {
  const { session, smsc } = await bindSession({
    answering: silentTo('submit_sm'),
    store: () => new Promise(() => undefined),
    settings: { maxUnanswered: 1 },
  })
  const [answered, unanswered] = [
    session.request('submit_sm', message),
    session.request('submit_sm', message),
  ]
  const { sequence } = await smsc.seen('submit_sm', 2)
  const answer: Pdu = { command: 'submit_sm_resp', status: 0, sequence: sequence - 1, body: null }
  smsc.sendBytes(Buffer.concat([delivery(1), delivery(2), answer].map(bytesOf)))
  await turns(20)
  expect(session.openRequests.inFlight).toBe(2)
  smsc.socket().resetAndDestroy()
  await smsc.closed()
  // While nothing is read, who writes learns of it.
  void session.request('submit_sm', message)
  expect(await answered).toMatchObject({ kind: 'response', status: 0 })
  expect(await unanswered).toMatchObject({ kind: 'unknown' })
})

test('a reset is told with its reason', async () => {
  const { session, smsc } = await bindSession({ answering: silentTo('submit_sm') })
  const request = session.request('submit_sm', message)
  await smsc.seen('submit_sm')
  smsc.socket().resetAndDestroy()
  expect(await request).toMatchObject({ kind: 'unknown', reason: 'closed' })
  expect(await session.ended).toEqual({ kind: 'connection_lost', detail: 'ECONNRESET' })
})

test('answers that came before the end of the connection count', async () => {
  const { session, smsc } = await bindSession({
    answering: (pdu, { socket }) => {
      if (pdu.command === 'submit_sm') setImmediate(() => socket().end())
      return null
    },
  })
  expect(await session.request('submit_sm', message)).toMatchObject({ kind: 'response', status: 0 })
  expect(smsc.received).toHaveLength(2)
  expect(await session.ended).toMatchObject({ kind: 'peer_closed' })
})

test('a silent peer is asked as often as is set, however long its answers might take', async () => {
  const { smsc, clock } = await bindSession({
    settings: { enquireLinkMs: 2_000, enquireLinkTimeoutMs: 10_000 },
  })
  for (let asked = 1; asked <= 4; asked++) {
    await clock.advance(2_000)
    expect(await smsc.seen('enquire_link', asked)).toMatchObject({ command: 'enquire_link' })
    await turns(20)
  }
})

test('a peer that is gone without a word is noticed, though the connection stands', async () => {
  const { session, smsc, clock } = await bindSession({
    answering: silentTo('enquire_link', 'submit_sm'),
    settings: { enquireLinkMs: 20_000, enquireLinkTimeoutMs: 5_000, responseTimeoutMs: 60_000 },
  })
  const request = session.request('submit_sm', message)
  await smsc.seen('submit_sm')
  await clock.advance(20_000)
  await smsc.seen('enquire_link')
  await clock.advance(4_999)
  expect(session.state).toBe('bound')
  await clock.advance(1)
  expect(await session.ended).toMatchObject({ kind: 'no_enquire_link_answer' })
  expect(await request).toMatchObject({ kind: 'unknown' })
})

test('a session that ends because of one time-out ends its other requests once', async () => {
  const { session, smsc, clock, late } = await bindSession({
    answering: silentTo('enquire_link', 'submit_sm'),
    settings: { enquireLinkMs: 20_000, enquireLinkTimeoutMs: 5_000, responseTimeoutMs: 5_000 },
  })
  await clock.advance(20_000)
  await smsc.seen('enquire_link')
  const requests = [session.request('submit_sm', message), session.request('submit_sm', message)]
  await smsc.seen('submit_sm', 2)
  await clock.advance(5_000)
  expect(await Promise.all(requests)).toMatchObject([{ kind: 'unknown' }, { kind: 'unknown' }])
  expect(await session.ended).toMatchObject({ kind: 'no_enquire_link_answer' })
  expect([session.openRequests, late]).toEqual([{ inFlight: 0, waiting: 0 }, []])
})

test('only a silent peer is asked whether it lives, and any answer will do', async () => {
  const { session, smsc, clock } = await bindSession({
    answering: (pdu) => (pdu.command === 'enquire_link' ? [nack(pdu.sequence)] : null),
    settings: { enquireLinkMs: 20_000, enquireLinkTimeoutMs: 5_000 },
  })
  await clock.advance(15_000)
  await session.request('submit_sm', message)
  await clock.advance(15_000)
  expect(smsc.received.map(({ command }) => command)).not.toContain('enquire_link')
  await clock.advance(5_000)
  const { sequence } = await smsc.seen('enquire_link')
  // The answer to this submit comes behind the one to enquire_link.
  await session.request('submit_sm', message)
  await clock.advance(19_999)
  expect([session.state, sequence]).toEqual(['bound', 3])
  await clock.advance(1)
  await smsc.seen('enquire_link', 2)
})

test('when the peer stops reading, what it was not handed has certainly not left', async () => {
  const { session, smsc, clock } = await bindSession({
    settings: { window: 400, stallMs: 9_000, responseTimeoutMs: 60_000, maxUnsentBytes: 1_000_000 },
  })
  smsc.socket().pause()
  const large = { ...message, tlvs: [{ tag: tlvTags.message_payload, value: Buffer.alloc(60_000) }] }
  const requests: Promise<{ kind: string }>[] = []
  // Turn by turn, so that the first fill what the operating system keeps for the peer: 24 MB are more than it does.
  for (let i = 0; i < 400; i++) {
    requests.push(session.request('submit_sm', large))
    await turns(1)
  }
  // Some of those are held in the buffer, and above its limit the others wait: the window was never the limit.
  expect(session.openRequests.inFlight).toBeLessThan(400)
  expect(session.openRequests.waiting).toBeGreaterThan(0)
  const enough = session.openRequests.inFlight
  await clock.advance(9_000)
  expect(await session.ended).toMatchObject({ kind: 'write_stalled' })
  const kinds = (await Promise.all(requests)).map(({ kind }) => kind)
  const unknown = kinds.lastIndexOf('unknown') + 1
  expect(new Set(kinds.slice(unknown))).toEqual(new Set(['not_written']))
  expect(unknown).toBeLessThan(enough)
  // Octets that the operating system took may arrive; none of those that were said not to have left can.
  smsc.socket().resume()
  await smsc.closed()
  const arrived = smsc.received.filter(({ command }) => command === 'submit_sm').length
  expect(arrived).toBeGreaterThan(0)
  expect(arrived).toBeLessThanOrEqual(unknown)
})

test('when the peer reads again, everything that waited goes out', async () => {
  const { session, smsc } = await bindSession({
    settings: { window: 1_000, maxWaiting: 1_000, maxUnsentBytes: 200_000 },
  })
  smsc.socket().pause()
  const large = { ...message, tlvs: [{ tag: tlvTags.message_payload, value: Buffer.alloc(60_000) }] }
  const requests = Array.from({ length: 400 }, () => session.request('submit_sm', large))
  await turns(20)
  expect(session.openRequests.waiting).toBeGreaterThan(0)
  smsc.socket().resume()
  const outcomes = await Promise.all(requests)
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['response']))
  const order = smsc.received.slice(1).map(({ sequence }) => sequence)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

test('a PDU that does not end is noticed, though octets keep coming', async () => {
  const { session, smsc, clock } = await bindSession({
    settings: { stallMs: 10_000, enquireLinkMs: 100_000 },
  })
  const [first, ...rest] = Buffer.from([0, 0, 0, 200, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1])
  smsc.send({ command: 'enquire_link', status: 0, sequence: 1, body: null })
  smsc.sendBytes(Buffer.from([first ?? 0]))
  await smsc.seen('enquire_link_resp')
  for (const octet of rest.slice(0, 9)) {
    smsc.sendBytes(Buffer.from([octet]))
    await clock.advance(1_000)
  }
  expect(session.state).toBe('bound')
  await clock.advance(3_000)
  expect(await session.ended).toMatchObject({ kind: 'frame_stalled' })
})

test('a session can be ended at once, at any time', async () => {
  const fresh = await startSession()
  fresh.session.abort('never mind')
  expect(await fresh.session.ended).toEqual({ kind: 'aborted', detail: 'never mind' })
  const binding = await startSession({ answering: silentTo('bind_transceiver') })
  const bound = binding.session.open()
  expect(await binding.session.unbind()).toMatchObject({ kind: 'aborted' })
  expect(await bound).toMatchObject({ kind: 'failed' })
  const { session, smsc, clock } = await bindSession({ answering: silentTo('submit_sm') })
  const request = session.request('submit_sm', message)
  await smsc.seen('submit_sm')
  session.abort('the lease is lost')
  expect(await request).toMatchObject({ kind: 'unknown', reason: 'closed' })
  expect(await session.ended).toMatchObject({ kind: 'aborted' })
  expect(clock.waiting).toBe(0)
})

test('a request of the turn in which the session is ended was not written', async () => {
  const { session } = await bindSession()
  const request = session.request('submit_sm', message)
  session.abort('the lease is lost')
  expect(await request).toEqual({ kind: 'not_written', reason: 'closed' })
})

test('every PDU can be watched, both ways', async () => {
  const seen: string[] = []
  const { session } = await bindSession({
    trace: (direction, { command }) => void seen.push(`${direction} ${command}`),
  })
  await session.request('submit_sm', message)
  await session.unbind()
  expect(seen).toEqual([
    'out bind_transceiver',
    'in bind_transceiver_resp',
    'out submit_sm',
    'in submit_sm_resp',
    'out unbind',
    'in unbind_resp',
  ])
})

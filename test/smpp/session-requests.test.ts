import { expect, test } from 'vitest'
import { commandStatus, type Pdu } from '../../src/smpp/codec/pdu.ts'
import { bindSession, message, silentTo } from './session-fixture.ts'

const submitResp = (sequence: number, messageId: string): Pdu => ({
  command: 'submit_sm_resp',
  status: 0,
  sequence,
  body: { messageId, tlvs: [] },
})

test('a submit gets the answer with its number, whatever the order of the answers', async () => {
  const { session, smsc } = await bindSession({ answering: silentTo('submit_sm') })
  const [first, second] = [session.request('submit_sm', message), session.request('submit_sm', message)]
  const { sequence } = await smsc.seen('submit_sm', 2)
  smsc.send(submitResp(sequence, 'b'), submitResp(sequence - 1, 'a'))
  expect(await first).toMatchObject({ kind: 'response', status: 0, body: { messageId: 'a' } })
  expect(await second).toMatchObject({ kind: 'response', status: 0, body: { messageId: 'b' } })
})

test('a refusal without a body, a generic_nack and a body that ends in what makes no sense are answers', async () => {
  const { session, smsc, odd } = await bindSession({ answering: silentTo('submit_sm') })
  const requests = [1, 2, 3].map(() => session.request('submit_sm', message))
  const { sequence } = await smsc.seen('submit_sm', 3)
  const status = commandStatus.ESME_RTHROTTLED
  smsc.send(
    { command: 'submit_sm_resp', status, sequence: sequence - 2, body: null },
    { command: 'generic_nack', status: commandStatus.ESME_RINVCMDID, sequence: sequence - 1, body: null },
    {
      command: 'unknown',
      commandId: 0x8000_0004,
      status: 0,
      sequence,
      body: Buffer.from('id\0\x00\x05\x00\x09a'),
    },
  )
  expect(await Promise.all(requests)).toMatchObject([
    { kind: 'response', command: 'submit_sm_resp', status, body: null },
    { kind: 'response', command: 'generic_nack', status: 3, body: null },
    { kind: 'response', command: 'submit_sm_resp', status: 0, body: { messageId: 'id' } },
  ])
  expect(odd).toMatchObject([{ command: 'submit_sm_resp', rest: 'a TLV is longer than the PDU' }])
})

test('an answer with the right number and the wrong command is no answer', async () => {
  const { session, smsc, odd } = await bindSession({ answering: silentTo('submit_sm') })
  const request = session.request('submit_sm', message)
  const { sequence } = await smsc.seen('submit_sm')
  smsc.send({ command: 'query_sm_resp', status: 0, sequence, body: null }, submitResp(sequence, 'right'))
  expect(await request).toMatchObject({ body: { messageId: 'right' } })
  expect(odd).toMatchObject([{ command: 'query_sm_resp' }])
})

test('no more than the window is on the wire, the rest waits in its order, and too many are turned away', async () => {
  const { session, smsc } = await bindSession({
    answering: silentTo('submit_sm'),
    settings: { window: 3, maxWaiting: 2 },
  })
  const requests = [1, 2, 3, 4, 5, 6].map((esmClass) =>
    session.request('submit_sm', { ...message, esmClass }),
  )
  expect(await requests[5]).toEqual({ kind: 'not_written', reason: 'queue_full' })
  expect([session.openRequests, session.room]).toEqual([{ inFlight: 3, waiting: 2 }, 0])
  const { sequence } = await smsc.seen('submit_sm', 3)
  smsc.send(submitResp(sequence, 'x'))
  await smsc.seen('submit_sm', 4)
  smsc.send(submitResp(sequence - 1, 'x'))
  await smsc.seen('submit_sm', 5)
  const order = smsc.received.flatMap((pdu) => (pdu.command === 'submit_sm' ? [pdu.body.esmClass] : []))
  expect(order).toEqual([1, 2, 3, 4, 5])
  expect(session.openRequests).toEqual({ inFlight: 3, waiting: 0 })
})

test('a wider window lets those out that wait', async () => {
  const { session, smsc } = await bindSession({ answering: silentTo('submit_sm'), settings: { window: 1 } })
  const requests = [session.request('submit_sm', message), session.request('submit_sm', message)]
  await smsc.seen('submit_sm')
  expect(session.openRequests.waiting).toBe(1)
  session.setWindow(2)
  await smsc.seen('submit_sm', 2)
  expect([requests.length, session.openRequests]).toEqual([2, { inFlight: 2, waiting: 0 }])
})

test('who waits too long for room was certainly not submitted', async () => {
  const { session, smsc, clock } = await bindSession({
    answering: silentTo('submit_sm'),
    settings: { window: 1, windowWaitMs: 5_000 },
  })
  const onTheWire = session.request('submit_sm', message)
  const waiting = session.request('submit_sm', message)
  const { sequence } = await smsc.seen('submit_sm')
  await clock.advance(5_000)
  expect(await waiting).toEqual({ kind: 'not_written', reason: 'no_room' })
  smsc.send(submitResp(sequence, 'x'))
  expect(await onTheWire).toMatchObject({ kind: 'response' })
})

test('an answer that does not come is unknown; when it comes after all it is told, and frees nothing twice', async () => {
  const { session, smsc, clock, late } = await bindSession({
    answering: silentTo('submit_sm'),
    settings: { window: 1, responseTimeoutMs: 10_000, enquireLinkMs: 60_000 },
  })
  const request = session.request('submit_sm', message)
  const { sequence } = await smsc.seen('submit_sm')
  await clock.advance(9_999)
  expect(session.openRequests.inFlight).toBe(1)
  await clock.advance(1)
  expect(await request).toEqual({ kind: 'unknown', reason: 'timeout', sequence })
  const next = session.request('submit_sm', message)
  const { sequence: nextSequence } = await smsc.seen('submit_sm', 2)
  smsc.send(submitResp(sequence, 'late'), submitResp(sequence, 'again'), submitResp(nextSequence, 'next'))
  expect(await next).toMatchObject({ body: { messageId: 'next' } })
  expect(late).toMatchObject([
    { command: 'submit_sm_resp', sequence, body: { messageId: 'late' }, tookMs: 10_000 },
  ])
  expect(session.room).toBe(1)
})

test('no more late answers are waited for than the limit says', async () => {
  const { session, smsc, clock, late, odd } = await bindSession({
    answering: silentTo('submit_sm'),
    settings: { window: 3, maxLate: 2, responseTimeoutMs: 1_000 },
  })
  const requests = [1, 2, 3].map(() => session.request('submit_sm', message))
  const { sequence } = await smsc.seen('submit_sm', 3)
  await clock.advance(1_000)
  await Promise.all(requests)
  smsc.send(submitResp(sequence - 2, 'a'), submitResp(sequence - 1, 'b'), submitResp(sequence, 'c'))
  smsc.send({ command: 'enquire_link', status: 0, sequence: 1, body: null })
  await smsc.seen('enquire_link_resp')
  expect([late.length, odd.length]).toEqual([2, 1])
})

test('sequence numbers go from 0x7fffffff to 1', async () => {
  const { session, smsc } = await bindSession({ firstSequence: 0x7fff_fffe })
  for (let i = 0; i < 3; i++)
    expect(await session.request('submit_sm', message)).toMatchObject({ kind: 'response' })
  expect(smsc.received.map(({ sequence }) => sequence)).toEqual([0x7fff_fffe, 0x7fff_ffff, 1, 2])
})

test('a field that does not fit is refused with its name and nothing leaves', async () => {
  const { session, smsc } = await bindSession()
  const destination = { ton: 1, npi: 1, address: '1'.repeat(30) }
  expect(await session.request('submit_sm', { ...message, destination })).toEqual({
    kind: 'not_written',
    reason: 'invalid',
    detail: 'destination is longer than 20 octets',
  })
  await session.request('submit_sm', message)
  expect(smsc.received.map(({ command }) => command)).toEqual(['bind_transceiver', 'submit_sm'])
})

test('a receiver submits nothing, and nobody does before the bind or after the end', async () => {
  const { session } = await bindSession({ settings: { bindAs: 'receiver' } })
  expect(await session.request('submit_sm', message)).toEqual({
    kind: 'not_written',
    reason: 'receiver_only',
  })
  await session.unbind()
  expect(await session.request('submit_sm', message)).toEqual({ kind: 'not_written', reason: 'not_bound' })
})

test('no submit leaves once another node may run the link, and what waits for room never does', async () => {
  let mayWrite = true
  const { session, smsc } = await bindSession({
    answering: silentTo('submit_sm'),
    settings: { window: 1 },
    mayWrite: () => mayWrite,
  })
  const out = session.request('submit_sm', message)
  const waits = session.request('submit_sm', message)
  const { sequence } = await smsc.seen('submit_sm')
  mayWrite = false
  const refused = session.request('submit_sm', message)
  smsc.send(submitResp(sequence, 'a'))
  expect(await out).toMatchObject({ kind: 'response', status: 0 })
  expect(session.room).toBe(0)
  const ended = session.unbind()
  expect(await Promise.all([waits, refused])).toEqual([
    { kind: 'not_written', reason: 'closed' },
    { kind: 'not_written', reason: 'closed' },
  ])
  expect(await ended).toMatchObject({ kind: 'unbound' })
  expect(smsc.received.filter(({ command }) => command === 'submit_sm')).toHaveLength(1)
})

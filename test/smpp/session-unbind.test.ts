import { expect, test } from 'vitest'
import { bindSession, message, roundTrip, silentTo } from './session-fixture.ts'

test('unbind takes nothing new, waits for the answers that are due, and then says goodbye', async () => {
  const { session, smsc } = await bindSession({ answering: silentTo('submit_sm'), settings: { window: 1 } })
  const [due, waiting] = [session.request('submit_sm', message), session.request('submit_sm', message)]
  const { sequence } = await smsc.seen('submit_sm')
  const ended = session.unbind()
  expect(await waiting).toEqual({ kind: 'not_written', reason: 'closed' })
  expect(await session.request('submit_sm', message)).toEqual({ kind: 'not_written', reason: 'not_bound' })
  smsc.send({ command: 'submit_sm_resp', status: 0, sequence, body: null })
  expect(await due).toMatchObject({ kind: 'response' })
  expect(await ended).toMatchObject({ kind: 'unbound' })
  await smsc.closed()
  expect(smsc.received.map(({ command }) => command)).toEqual(['bind_transceiver', 'submit_sm', 'unbind'])
})

test('unbind waits for nobody for ever', async () => {
  const { session, smsc, clock } = await bindSession({
    answering: silentTo('submit_sm', 'unbind'),
    settings: { drainMs: 6_000, unbindTimeoutMs: 3_000, responseTimeoutMs: 60_000, closeMs: 1_000 },
  })
  smsc.socket().allowHalfOpen = true
  const request = session.request('submit_sm', message)
  await smsc.seen('submit_sm')
  const ended = session.unbind()
  await clock.advance(6_000)
  await smsc.seen('unbind')
  await clock.advance(3_000)
  expect(await request).toMatchObject({ kind: 'unknown', reason: 'closed' })
  await clock.advance(1_000)
  expect(await ended).toMatchObject({ kind: 'unbound' })
})

test('a peer that closes in the place of an answer to unbind has understood', async () => {
  const { session } = await bindSession({
    answering: ({ command }, { socket }) => {
      if (command !== 'unbind') return null
      socket().end()
      return []
    },
  })
  expect(await session.unbind()).toMatchObject({ kind: 'unbound' })
})

test('an unbind of the peer is answered once the answers that are due have come', async () => {
  const { session, smsc } = await bindSession({ answering: silentTo('submit_sm') })
  const request = session.request('submit_sm', message)
  const { sequence } = await smsc.seen('submit_sm')
  smsc.send({ command: 'unbind', status: 0, sequence: 5, body: null })
  smsc.send({ command: 'submit_sm_resp', status: 0, sequence, body: null })
  expect(await request).toMatchObject({ kind: 'response' })
  expect(await smsc.seen('unbind_resp')).toMatchObject({ sequence: 5, status: 0 })
  expect(await session.ended).toMatchObject({ kind: 'peer_unbound' })
})

test('an unbind of the peer is answered in any case', async () => {
  const { session, smsc, clock } = await bindSession({
    answering: silentTo('submit_sm'),
    settings: { drainMs: 2_000 },
  })
  const request = session.request('submit_sm', message)
  await smsc.seen('submit_sm')
  smsc.send({ command: 'unbind', status: 0, sequence: 5, body: null })
  smsc.send({ command: 'enquire_link', status: 0, sequence: 6, body: null })
  await smsc.seen('enquire_link_resp')
  await clock.advance(2_000)
  expect(await smsc.seen('unbind_resp')).toMatchObject({ sequence: 5 })
  expect(await request).toMatchObject({ kind: 'unknown', reason: 'closed' })
})

test('a session that nobody uses unbinds, if it shall', async () => {
  const { session, smsc, clock } = await bindSession({
    settings: { inactivityMs: 60_000, enquireLinkMs: 25_000 },
  })
  const passTime = async (ms: number): Promise<void> => {
    await clock.advance(ms)
    await roundTrip(smsc)
  }
  await passTime(25_000)
  await passTime(25_000)
  await session.request('submit_sm', message)
  await passTime(25_000)
  await passTime(25_000)
  await passTime(9_999)
  expect([session.state, (await smsc.seen('enquire_link', 4)).sequence]).toEqual(['bound', 6])
  await clock.advance(1)
  expect(await session.ended).toMatchObject({ kind: 'inactive' })
  expect(smsc.received.at(-1)).toMatchObject({ command: 'unbind' })
})

import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { socketTo } from '../../src/smpp/session/open-socket.ts'
import { commandStatus } from '../../src/smpp/codec/pdu.ts'
import { bindFields, nack, silentTo, startSession } from './session-fixture.ts'

test('a bind says who we are and learns what the peer speaks', async () => {
  const { session, smsc } = await startSession()
  expect(await session.open()).toEqual({ kind: 'bound', systemId: 'stub', peerVersion: 0x34 })
  expect(await smsc.seen('bind_transceiver')).toMatchObject({ sequence: 1, body: bindFields })
  expect(session.state).toBe('bound')
})

test('a peer that says nothing of its version is bound all the same', async () => {
  const { session } = await startSession({
    answering: ({ sequence }) => [{ command: 'bind_transmitter_resp', status: 0, sequence, body: null }],
    settings: { bindAs: 'transmitter' },
  })
  expect(await session.open()).toEqual({ kind: 'bound', systemId: '', peerVersion: null })
})

test('a bind that is refused ends the session with the status', async () => {
  const status = commandStatus.ESME_RINVPASWD
  const { session, smsc } = await startSession({
    answering: ({ sequence }) => [{ command: 'bind_transceiver_resp', status, sequence, body: null }],
  })
  const end = { kind: 'bind_refused', status, detail: 'the peer responded bind_transceiver_resp' }
  expect(await session.open()).toEqual({ kind: 'failed', end })
  expect(await session.ended).toEqual(end)
  await smsc.closed()
  expect([session.state, smsc.received.length]).toEqual(['closed', 1])
})

test('a generic_nack refuses a bind as well', async () => {
  const { session } = await startSession({ answering: ({ sequence }) => [nack(sequence)] })
  expect(await session.open()).toMatchObject({ kind: 'failed', end: { kind: 'bind_refused', status: 8 } })
})

test('a bind without an answer ends in time', async () => {
  const { session, smsc, clock } = await startSession({
    answering: silentTo('bind_transceiver'),
    settings: { bindTimeoutMs: 7_000 },
  })
  const bound = session.open()
  await smsc.seen('bind_transceiver')
  await clock.advance(6_999)
  expect(session.state).toBe('binding')
  await clock.advance(1)
  expect(await bound).toMatchObject({ kind: 'failed', end: { kind: 'bind_timeout' } })
})

test('a port where nobody listens, and a connection that does not come about, end the session', async () => {
  const refused = await startSession({
    open: () => socketTo({ host: '127.0.0.1', port: 1, tls: null }),
  })
  expect(await refused.session.open()).toEqual({
    kind: 'failed',
    end: { kind: 'connect_failed', detail: 'ECONNREFUSED' },
  })
  const silent = await startSession({
    open: () => () => new Duplex({ read: () => undefined, write: () => undefined }),
    settings: { connectTimeoutMs: 4_000 },
  })
  const bound = silent.session.open()
  await silent.clock.advance(4_000)
  expect(await bound).toMatchObject({ kind: 'failed', end: { kind: 'connect_failed' } })
  expect(await silent.session.ended).toMatchObject({ kind: 'connect_failed' })
})

test('settings that fit no socket or no PDU are said to be wrong', async () => {
  const noPort = await startSession({ open: () => socketTo({ host: 'localhost', port: 70_000, tls: null }) })
  expect(await noPort.session.open()).toMatchObject({ end: { kind: 'invalid_settings' } })
  expect(await noPort.session.ended).toMatchObject({ kind: 'invalid_settings' })
  const noPdu = await startSession({ settings: { bind: { ...bindFields, password: 'p'.repeat(65) } } })
  expect(await noPdu.session.open()).toMatchObject({
    end: { kind: 'invalid_settings', detail: 'password is longer than 64 octets' },
  })
})

test('enquire_link is answered before the bind is', async () => {
  const { session, smsc } = await startSession({
    answering: ({ command, sequence }) => {
      if (command === 'bind_transceiver')
        return [{ command: 'enquire_link', status: 0, sequence: 77, body: null }]
      return [{ command: 'bind_transceiver_resp', status: 0, sequence: 1, body: null }, nack(sequence)]
    },
  })
  expect(await session.open()).toMatchObject({ kind: 'bound' })
  expect(await smsc.seen('enquire_link_resp')).toMatchObject({ status: 0, sequence: 77 })
})

import tls, { type TlsOptions, type TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { socketTo, type TlsSettings } from '../../src/smpp/session/open-socket.ts'
import { makeCertificate } from './make-certificate.ts'
import { message, startSession } from './session-fixture.ts'
import { startStubSmsc } from './stub-smsc.ts'

const authority = makeCertificate('test authority', [])
const server = makeCertificate('smsc', ['localhost', 'smsc.test'], authority)
const client = makeCertificate('esme', ['esme.test'], authority)
const { cert, key } = server

/** Binds over TLS to an SMSC that has the certificate above. */
async function bindOverTls(settings: Partial<TlsSettings>, smscOptions: TlsOptions = {}, host = 'localhost') {
  const smsc = await startStubSmsc(undefined, { cert, key, ...smscOptions })
  onTestFinished(() => smsc[Symbol.asyncDispose]())
  const target = { host, port: smsc.port, tls: { verify: true, ca: authority.cert, ...settings } }
  const { session } = await startSession({ open: () => socketTo(target) })
  return { session, smsc, outcome: await session.open() }
}

test('a session runs over TLS, and says by SNI whom it looks for', async () => {
  const { session, smsc, outcome } = await bindOverTls({})
  expect(outcome).toMatchObject({ kind: 'bound' })
  expect(await session.request('submit_sm', message)).toMatchObject({ kind: 'response', status: 0 })
  const socket = smsc.socket() as TLSSocket
  expect([socket.servername, socket.getProtocol()]).toEqual(['localhost', 'TLSv1.3'])
  expect(await session.unbind()).toMatchObject({ kind: 'unbound' })
})

test('a certificate that nobody vouches for is refused', async () => {
  const stranger = makeCertificate('another authority', [])
  const { outcome, smsc } = await bindOverTls({ ca: stranger.cert })
  expect(outcome).toMatchObject({ kind: 'failed', end: { kind: 'connect_failed' } })
  expect(smsc.received).toEqual([])
})

test('a certificate for another name is refused, unless that is the name that we look for', async () => {
  const wrong = await bindOverTls({}, {}, '127.0.0.1')
  expect(wrong.outcome).toMatchObject({
    end: { kind: 'connect_failed', detail: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  })
  const other = await bindOverTls({ servername: 'other.test' })
  expect(other.outcome).toMatchObject({ end: { detail: 'ERR_TLS_CERT_ALTNAME_INVALID' } })
  const named = await bindOverTls({ servername: 'smsc.test' }, {}, '127.0.0.1')
  expect(named.outcome).toMatchObject({ kind: 'bound' })
  expect((named.smsc.socket() as TLSSocket).servername).toBe('smsc.test')
})

test('whoever turns the check off takes any certificate', async () => {
  const { outcome } = await bindOverTls({ verify: false, ca: '' }, {}, '127.0.0.1')
  expect(outcome).toMatchObject({ kind: 'bound' })
})

test('nothing older than TLS 1.2 is spoken, even where Node.js is told to', async () => {
  const { DEFAULT_MIN_VERSION: version, DEFAULT_CIPHERS: ciphers } = tls
  onTestFinished(() => void Object.assign(tls, { DEFAULT_MIN_VERSION: version, DEFAULT_CIPHERS: ciphers }))
  Object.assign(tls, { DEFAULT_MIN_VERSION: 'TLSv1.1', DEFAULT_CIPHERS: 'DEFAULT@SECLEVEL=0' })
  const old: TlsOptions = { maxVersion: 'TLSv1.1' }
  const { outcome } = await bindOverTls({}, old)
  expect(outcome).toMatchObject({ kind: 'failed', end: { kind: 'connect_failed' } })
  const fine = await bindOverTls({}, { maxVersion: 'TLSv1.2' })
  expect(fine.outcome).toMatchObject({ kind: 'bound' })
})

test('a peer that asks for our certificate gets it', async () => {
  const asking: TlsOptions = { requestCert: true, rejectUnauthorized: true, ca: authority.cert }
  const { outcome, smsc } = await bindOverTls({ cert: client.cert, key: client.key }, asking)
  expect(outcome).toMatchObject({ kind: 'bound' })
  expect((smsc.socket() as TLSSocket).getPeerCertificate().subject.CN).toBe('esme')
  const without = await bindOverTls({}, asking)
  expect(without.outcome).toMatchObject({ kind: 'failed' })
})

test('a text that is no certificate is said to be wrong', async () => {
  const { outcome } = await bindOverTls({ cert: 'x', key: 'x' })
  expect(outcome).toMatchObject({ kind: 'failed', end: { kind: 'invalid_settings' } })
})

import { once } from 'node:events'
import tls, { type SecureVersion } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { makeCertificate } from '../smpp/make-certificate.ts'
import { startTestApi } from './start-test-api.ts'

test('the server speaks nothing older than TLS 1.2, even where Node.js is told to', async () => {
  const { DEFAULT_MIN_VERSION: version, DEFAULT_CIPHERS: ciphers } = tls
  onTestFinished(() => void Object.assign(tls, { DEFAULT_MIN_VERSION: version, DEFAULT_CIPHERS: ciphers }))
  Object.assign(tls, { DEFAULT_MIN_VERSION: 'TLSv1.1', DEFAULT_CIPHERS: 'DEFAULT@SECLEVEL=0' })
  const { cert, key } = makeCertificate('server', ['localhost'])
  const api = await startTestApi({ tls: { cert: Buffer.from(cert), key: Buffer.from(key) } })
  onTestFinished(() => api.close())
  /** The version that was agreed on, or why there is none. */
  const spoken = async (maxVersion: SecureVersion): Promise<string | null> => {
    const socket = tls.connect({
      port: api.port,
      host: '127.0.0.1',
      ca: cert,
      servername: 'localhost',
      maxVersion,
    })
    try {
      await once(socket, 'secureConnect')
      return socket.getProtocol()
    } catch (error) {
      return (error as { code: string }).code
    } finally {
      socket.destroy()
    }
  }
  expect(await spoken('TLSv1.1')).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
  expect(await spoken('TLSv1.2')).toBe('TLSv1.2')
})

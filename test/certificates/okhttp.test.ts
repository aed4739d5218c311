import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { makeRequest } from '../../src/certificates/make-certificates.ts'
import { isLong } from '../proof-sizes.ts'
import { openCertificates } from '../reach/made-certificates.ts'

/**
 * OkHttp 4.10.0, the HTTP client of the app (SMSGate 1.68), on Java 17 with a root of the test in the place of the
 * app's. It comes from Maven, so it is asked only by `npm run prove`.
 */
const peer = join(import.meta.dirname, '..', 'peers', 'okhttp')
const jars = join(import.meta.dirname, '../../node_modules/.cache/onesixty/okhttp')

/** Not synchronous: the servers answer in this process. */
async function ask(root: string, urls: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'onesixty-okhttp-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'root.pem'), root)
  const path = readdirSync(jars).map((jar) => join(jars, jar)).join(':') // prettier-ignore
  const args = ['-cp', path, join(peer, 'Peer.java'), join(folder, 'root.pem'), ...urls]
  const { stdout } = await promisify(execFile)('java', args)
  return stdout.trim().split('\n')
}

/** Serves with a certificate on the loopback interface; gives the port. */
async function serve({ cert, key }: { cert: string; key: string }): Promise<number> {
  const server = createServer({ cert, key }, (_request, response) => void response.end('here'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => (server.closeAllConnections(), void server.close()))
  return (server.address() as AddressInfo).port
}

/** A certificate for 127.0.0.1 of an intermediate CA, with that one behind it, and the root, by OpenSSL. */
function makeChain(): { root: string; cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'onesixty-chain-'))
  const { request, key } = makeRequest('127.0.0.1')
  const openssl = (line: string): void => void execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'pipe' }) // prettier-ignore
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  writeFileSync(join(folder, 'leaf.csr'), request)
  writeFileSync(
    join(folder, 'ca.ext'),
    'basicConstraints=critical,CA:true,pathlen:0\nkeyUsage=critical,keyCertSign\n',
  )
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
  openssl(`req -x509 ${newKey} -keyout root.key -out root.pem -subj /CN=root -days 30`)
  openssl(`req ${newKey} -keyout middle.key -out middle.csr -subj /CN=middle`)
  openssl('x509 -req -in middle.csr -CA root.pem -CAkey root.key -CAcreateserial -extfile ca.ext -out middle.pem -days 30') // prettier-ignore
  openssl('x509 -req -in leaf.csr -CA middle.pem -CAkey middle.key -CAcreateserial -copy_extensions copy -out leaf.pem -days 30') // prettier-ignore
  const chain = { root: read('root.pem'), cert: read('leaf.pem') + read('middle.pem'), key }
  rmSync(folder, { recursive: true })
  return chain
}

test('the chain of this test is one for Node.js, and the leaf alone is none', async () => {
  const { root, cert, key } = makeChain()
  const leaf = cert.slice(0, cert.indexOf('-----END CERTIFICATE-----') + 26)
  const [whole, alone] = [await serve({ cert, key }), await serve({ cert: leaf, key })]
  const reaches = async (port: number): Promise<string> => {
    const asked = get({ host: '127.0.0.1', port, ca: root })
    const [answer] = (await once(asked, 'response').catch((error: unknown) => [error])) as [unknown]
    asked.destroy()
    return answer instanceof Error ? ((answer as NodeJS.ErrnoException).code ?? '') : 'answered'
  }
  expect(await reaches(whole)).toBe('answered')
  expect(await reaches(alone)).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
})

// Not left out in `npm test`, but not there: Maven is no part of it.
describe.for(isLong() ? ['OkHttp'] : [])('%s', () => {
  beforeAll(() => {
    if (existsSync(jars)) return
    mkdirSync(jars, { recursive: true })
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${jars}`]
    execFileSync('mvn', ['-q', '-B', '-f', join(peer, 'pom.xml'), ...goal], { stdio: 'inherit' })
  }, 300_000)

  test('takes the certificate of our request for an IP address, and no other host name or root', async () => {
    const certificates = openCertificates()
    const other = openCertificates()
    onTestFinished(() => (certificates.close(), other.close()))
    const { request, key } = makeRequest('127.0.0.1')
    const port = await serve({ cert: certificates.signRequest(request), key })
    expect(await ask(certificates.root, [`https://127.0.0.1:${port}`, `https://localhost:${port}`])).toEqual([
      '200 TLS_1_3',
      expect.stringMatching(/^SSLPeerUnverifiedException: Hostname localhost not verified/),
    ])
    expect(await ask(other.root, [`https://127.0.0.1:${port}`])).toEqual([
      expect.stringMatching(/^SSLHandshakeException: /),
    ])
  }, 60_000)

  test('refuses a certificate that has ended', async () => {
    const certificates = openCertificates()
    onTestFinished(() => certificates.close())
    const ended = certificates.sign('IP:127.0.0.1', { from: '20250101000000Z', to: '20250201000000Z' })
    const port = await serve(ended)
    expect(await ask(certificates.root, [`https://127.0.0.1:${port}`])).toEqual([
      expect.stringMatching(/^SSLHandshakeException: .*validity check failed/),
    ])
  }, 60_000)

  test('takes a chain with an intermediate certificate, and not the leaf without it', async () => {
    const { root, cert, key } = makeChain()
    const leaf = cert.slice(0, cert.indexOf('-----END CERTIFICATE-----') + 26)
    const [whole, alone] = [await serve({ cert, key }), await serve({ cert: leaf, key })]
    expect(await ask(root, [`https://127.0.0.1:${whole}`, `https://127.0.0.1:${alone}`])).toEqual([
      '200 TLS_1_3',
      expect.stringMatching(/^SSLHandshakeException: /),
    ])
  }, 60_000)
})

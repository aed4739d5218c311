import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, connect, createServer as createTcp, type Server } from 'node:net'
import { rootCertificates } from 'node:tls'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { ownAddresses } from '../../src/reach/find-addresses.ts'
import { createReachProof } from '../../src/reach/reach-proof.ts'
import { failureOf, type Reach, type ReachDeps, tryReach } from '../../src/reach/reach.ts'
import { createStubClock } from '../stub-clock.ts'
import { type MadeCertificate, openCertificates } from './made-certificates.ts'

const certificates = openCertificates()
afterAll(() => certificates.close())
const right = certificates.sign('DNS:sms.test')
const here = createReachProof({ current: 'the secret of this instance, long enough', former: [] })
const other = createReachProof({ current: 'the secret of another instance, long', former: [] })

const answering =
  (proof: typeof here): RequestListener =>
  ({ url = '' }, response) => {
    const reach = proof.answerTo(url.replace('/mobile/v1/reach/', ''))
    response.writeHead(reach === null ? 400 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ reach }))
  }
const saying =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end('<html>Welcome</html>')

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
const https = (made: MadeCertificate, listener: RequestListener): Promise<number> =>
  listen(createHttps(made, listener))

/** A machine whose own address is 127.0.0.2, as other machines know it: names of the tests lead there. */
const lan = '127.0.0.1'
const deps = (more: Partial<ReachDeps> = {}): ReachDeps => ({
  clock: createStubClock(),
  randomBytes,
  proof: here,
  roots: [...rootCertificates, certificates.root],
  listens: { host: '127.0.0.1', port: 1 },
  own: [lan],
  lookup: async () => [lan],
  ...more,
})
const verdict = (reach: Reach): string => {
  const { part, summary } = failureOf(reach) ?? { part: 'reached', summary: '' }
  return `${part}: ${summary}`
}

test('a right address is reached, and its certificate is described', async () => {
  const reach = await tryReach(deps(), `https://sms.test:${await https(right, answering(here))}`)
  expect(verdict(reach)).toBe('reached: ')
  expect(reach.steps.map(({ part }) => part)).toEqual(['name', 'port', 'certificate', 'path'])
  expect(reach.steps[2]?.summary).toBe(
    'The certificate is for sms.test, ends in 45 days (2027-01-05), and only phones that have its root installed trust it.',
  )
})

test('a certificate that ends soon is said, while the address is reached', async () => {
  const clock = createStubClock(Date.parse('2027-01-01T00:00:00Z'))
  const reach = await tryReach(deps({ clock }), `https://sms.test:${await https(right, answering(here))}`)
  expect([reach.isReached, reach.steps[2]?.remedy]).toEqual([
    true,
    'Renew the certificate: it ends in 4 days.',
  ])
})

test.for<[string, () => Promise<number>, RegExp, Partial<ReachDeps>?]>([
  ['plain HTTP', () => listen(createHttp(answering(here))), /^certificate: sms\.test:\d+ speaks HTTP, not HTTPS\.$/],
  ['a certificate for another name', () => https(certificates.sign('DNS:router.lan,IP:192.168.1.1'), answering(here)), /^certificate: The certificate is for router\.lan, 192\.168\.1\.1, not for sms\.test\.$/],
  ['a certificate that signs itself', () => https(certificates.selfSigned('DNS:sms.test'), answering(here)), /^certificate: The certificate is signed by itself/,
    { clock: createStubClock(Date.now() + 60_000) }],
  ['a CA that phones do not know', () => https(right, answering(here)), /^certificate: Phones do not trust the certificate: it is from CN=A root of the tests/, { roots: [] }],
  ['a certificate that has ended', () => https(certificates.sign('DNS:sms.test', { from: '20250101000000Z', to: '20261001000000Z' }), answering(here)), /^certificate: The certificate ended on 2026-10-01\.$/],
  ['a certificate of tomorrow', () => https(certificates.sign('DNS:sms.test', { from: '20261201000000Z', to: '20271001000000Z' }), answering(here)), /^certificate: The certificate begins on 2026-12-01/],
  ['another instance', () => https(right, answering(other)), /^path: Another onesixty answers at sms\.test:\d+/],
  ['the page of a router', () => https(right, saying(200, { server: 'lighttpd' })), /^path: Another program answers at sms\.test:\d+ \(lighttpd\), with status 200\.$/],
  ['a path that is not forwarded', () => https(right, saying(404)), /^path: Another program answers at sms\.test:\d+, with status 404\.$/],
  ['a proxy without a server', () => https(right, saying(502, { server: 'nginx' })), /^path: A proxy answers 502 at sms\.test:\d+ \(nginx\)\.$/],
  ['a redirection', () => https(right, saying(301, { location: 'https://www.sms.test/' })), /^path: sms\.test:\d+ redirects to https:\/\/www\.sms\.test\//],
  ['a sign-in in front of it', () => https(right, saying(401)), /^path: sms\.test:\d+ answers 401: something in front/],
  ['a server that speaks neither', () => listen(createTcp((socket) => void socket.resume().on('error', () => undefined).end('220 mail\r\n'))), /^certificate: sms\.test:\d+ does not complete a TLS handshake/],
])('%s is named in its own words', async ([, open, words, more]) => {
  expect(verdict(await tryReach(deps(more), `https://sms.test:${await open()}`))).toMatch(words)
}) // prettier-ignore

test('a server that listens on the loopback only is told from a port where nothing listens', async () => {
  // Of the loopback network, 127.0.0.2 is the address of this machine that others know.
  const port = await listen(createHttp(answering(here)))
  const known = { own: ['127.0.0.2'], lookup: async () => ['127.0.0.2'] }
  const at = (listens: ReachDeps['listens'], atPort = port) =>
    tryReach(deps({ ...known, listens }), `https://sms.test:${atPort}`)
  expect(verdict(await at({ host: '127.0.0.1', port }))).toBe(
    `port: Nothing listens at 127.0.0.2:${port}: the server listens on 127.0.0.1 only.`,
  )
  expect(verdict(await at({ host: '127.0.0.1', port }, 1))).toBe(
    `port: Nothing listens at 127.0.0.2:1; the server listens at 127.0.0.1:${port}.`,
  )
  expect(verdict(await at({ host: '127.0.0.1', port: 1 }))).toMatch(
    /the server does not run at 127\.0\.0\.1:1\.$/,
  )
})

const network = ownAddresses()[0]
test.skipIf(network === undefined)(
  'a port of another machine where nothing listens is named with its address',
  async () => {
    const elsewhere = deps({ lookup: async () => [String(network)], own: [] })
    expect(verdict(await tryReach(elsewhere, 'https://sms.test:1'))).toBe(
      `port: Nothing listens at ${network}:1.`,
    )
  },
)

test('a name that does not exist, and an address for listening, are faults of the name', async () => {
  const lookup = () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }))
  expect(verdict(await tryReach(deps({ lookup }), 'https://sms.test'))).toBe(
    'name: The name sms.test cannot be resolved (ENOTFOUND).',
  )
  expect(verdict(await tryReach(deps(), 'http://0.0.0.0:8160'))).toMatch(
    /^name: 0\.0\.0\.0 is an address to listen on/,
  )
})

test('a name that this machine takes for itself is tried at its own address, and said', async () => {
  const reach = await tryReach(
    deps({ lookup: async () => ['127.0.1.1'] }),
    `https://sms.test:${await https(right, answering(here))}`,
  )
  expect([reach.isReached, reach.steps[0]?.summary]).toEqual([
    true,
    `sms.test is 127.0.1.1 on this machine; ${lan} is tried, its own address.`,
  ])
})

test('the loopback answers, and is still no address for phones; neither is HTTP', async () => {
  const port = await listen(createHttp(answering(here)))
  expect(verdict(await tryReach(deps(), `http://127.0.0.1:${port}`))).toMatch(
    /^route: Phones cannot reach 127\.0\.0\.1/,
  )
  expect(verdict(await tryReach(deps(), `http://sms.test:${port}`))).toMatch(
    /^certificate: The app supports only HTTPS/,
  )
})

test('a port whose connections are dropped is a fault of the route, known within 5 s', async () => {
  const { port, stop } = await openSilentPort()
  onTestFinished(stop)
  const clock = createStubClock()
  const trying = tryReach(deps({ clock }), `https://sms.test:${port}`)
  await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(5_000)
  expect(verdict(await trying)).toBe(`route: There is no answer from ${lan}:${port} (ETIMEDOUT).`)
})

test('a server that accepts and says nothing is known within 5 s, as a resolver that never answers', async () => {
  const greeted = Promise.withResolvers<void>()
  const port = await listen(
    createTcp((socket) => socket.on('error', () => undefined).on('data', () => greeted.resolve())),
  )
  const clock = createStubClock()
  const trying = tryReach(deps({ clock }), `https://sms.test:${port}`)
  await greeted.promise
  await clock.advance(5_000)
  expect(verdict(await trying)).toMatch(/^certificate: sms\.test:\d+ does not complete a TLS handshake/)
  const asking = tryReach(deps({ clock, lookup: () => new Promise(() => undefined) }), 'https://sms.test')
  await clock.advance(5_000)
  expect(verdict(await asking)).toBe('name: The name sms.test cannot be resolved (ETIMEOUT).')
})

/** A port that drops connections as a firewall does: a stopped process whose queue of connections is full. */
async function openSilentPort(): Promise<{ port: number; stop: () => void }> {
  const code =
    "s=require('net').createServer().listen({port:0,host:'127.0.0.1',backlog:1},()=>console.log(s.address().port))"
  const child = spawn(process.execPath, ['-e', code])
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString())
  child.kill('SIGSTOP')
  const fillers = Array.from({ length: 8 }, () =>
    connect({ host: '127.0.0.1', port }).on('error', () => undefined),
  )
  await Promise.all(fillers.slice(0, 1).map((socket) => once(socket, 'connect')))
  return {
    port,
    stop() {
      for (const filler of fillers) filler.destroy()
      child.kill('SIGKILL')
    },
  }
}

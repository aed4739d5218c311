import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAddressGuard } from '../../src/outgoing/address-guard.ts'
import { createFindAddresses } from '../../src/outgoing/find-addresses.ts'
import { post, type PostDeps } from '../../src/webhooks/post.ts'
import { makeCertificate } from '../smpp/make-certificate.ts'
import { ssrfVectors } from './ssrf-vectors.ts'

/** Stands for what lies inside: counts every connection, whatever becomes of it. */
interface Trap {
  server: Server
  port: number
  connections: number
}

const traps: Record<string, Trap> = {}
let certificate: ReturnType<typeof makeCertificate>
/** Where the redirecting server and the honest target of a rebound name listen: the operator allowed it. */
const allowedHere = '127.0.0.77'
let location = ''

beforeAll(async () => {
  certificate = makeCertificate('localhost', ['localhost'])
  const answer: Parameters<typeof createServer>[1] = (request, response) => {
    if (location !== '' && request.socket.localAddress?.endsWith(allowedHere))
      response.writeHead(302, { location })
    response.end('inside')
  }
  for (const scheme of ['http', 'https']) {
    const server = scheme === 'http' ? createServer(answer) : createTlsServer(certificate, answer)
    const trap: Trap = { server, port: 0, connections: 0 }
    server.on('connection', (socket) => {
      if (!socket.localAddress?.endsWith(allowedHere)) trap.connections += 1
    })
    await new Promise<void>((resolve) => server.listen(0, '::', resolve))
    trap.port = (server.address() as AddressInfo).port
    traps[scheme] = trap
  }
})
beforeEach(() => {
  location = ''
  for (const trap of Object.values(traps)) trap.connections = 0
})
afterAll(async () => {
  for (const { server } of Object.values(traps)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const guard = createAddressGuard([allowedHere], 'ONESIXTY_WEBHOOK_ALLOW')
const depsOf = (more: Partial<PostDeps> = {}): PostDeps => ({
  guard,
  findAddresses: createFindAddresses(guard),
  timeoutMs: 5_000,
  ca: certificate.cert,
  ...more,
})
const send = (deps: PostDeps, url: string) => post(deps, new URL(url), { headers: {}, body: '{}' })
const refused = { kind: 'failed', because: 'address_refused' }

test('there are sixty vectors and more, and a third of them lead to this machine', () => {
  expect(ssrfVectors.length).toBeGreaterThanOrEqual(60)
  expect(ssrfVectors.filter(({ isHere }) => isHere).length).toBeGreaterThanOrEqual(20)
})

test('an address that stands in the URL is held against the guard, with TLS and without', async () => {
  for (const [scheme, trap] of Object.entries(traps)) {
    expect(await send(depsOf(), `${scheme}://127.0.0.1:${trap.port}/`)).toMatchObject(refused)
    expect(trap.connections).toBe(0)
  }
})

describe.for(['http', 'https'])('%s', (scheme) => {
  const trap = () => traps[scheme] as Trap
  const urlOf = (host: string) => `${scheme}://${host}:${trap().port}/`

  test.for(ssrfVectors.filter(({ isHere }) => isHere))(
    'outside the guard $host is reached',
    async ({ host }) => {
      const open = depsOf({ guard: { permits: () => true } })
      await send(open, urlOf(host))
      expect(trap().connections).toBe(1)
    },
  )

  test.for(ssrfVectors)(
    '$host is not connected to: as it stands, nor by a name',
    async ({ host, address }) => {
      expect(await send(depsOf(), urlOf(host))).toMatchObject(refused)
      const named = depsOf({ findAddresses: async () => [address] })
      expect(await send(named, urlOf('hooks.example.org'))).toMatchObject(refused)
      expect(trap().connections).toBe(0)
    },
  )

  test.for(ssrfVectors)(
    'a name that turns to $address is looked up once, and pinned',
    async ({ address }) => {
      let asked = 0
      const rebinding = depsOf({ findAddresses: async () => (asked++ === 0 ? [allowedHere] : [address]) })
      // The name in the certificate is the one that was asked for, not the address.
      expect(await send(rebinding, urlOf('localhost'))).toMatchObject({ kind: 'answered', status: 200 })
      expect({ asked, connections: trap().connections }).toEqual({ asked: 1, connections: 0 })
      const mixed = depsOf({ findAddresses: async () => [address, allowedHere] })
      expect(await send(mixed, urlOf('localhost'))).toMatchObject({ kind: 'answered', status: 200 })
      expect(trap().connections).toBe(0)
    },
  )

  test.for(ssrfVectors)('a redirect to $host is not followed', async ({ host }) => {
    // As bytes of UTF-8: digits of other scripts too.
    location = Buffer.from(urlOf(host)).toString('latin1')
    const deps = depsOf({ findAddresses: async () => [allowedHere] })
    expect(await send(deps, urlOf('localhost'))).toMatchObject({ kind: 'answered', status: 302 })
    expect(trap().connections).toBe(0)
  })
})

test.for(['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.15.255.255', '172.32.0.1', '192.167.255.255', '11.0.0.1', '223.255.255.255',
  '2606:4700::1111', '2a00:1450::1', '2001:4860::8888', '2003::1'])('%s is public and passes', (address) => {
  expect(guard.permits('hooks.example.org', address)).toBe(true)
}) // prettier-ignore

test('the operator allows addresses, networks and names of hosts, and nothing beside them', () => {
  const allowing = createAddressGuard(
    ['10.1.0.0/16', 'fd00::/8', '192.168.7.7', 'Hooks.Internal'],
    'ONESIXTY_WEBHOOK_ALLOW',
  )
  const passes = (host: string, address: string) => allowing.permits(host, address)
  expect(passes('a.example', '10.1.2.3')).toBe(true)
  expect(passes('a.example', '10.2.0.1')).toBe(false)
  expect(passes('a.example', 'fd12::1')).toBe(true)
  expect(passes('a.example', 'fe80::1')).toBe(false)
  expect(passes('a.example', '192.168.7.7')).toBe(true)
  expect(passes('a.example', '192.168.7.8')).toBe(false)
  expect(passes('hooks.internal.', '172.16.0.9')).toBe(true)
  expect(passes('other.hooks.internal', '172.16.0.9')).toBe(false)
  expect(passes('hooks.internal', 'nonsense')).toBe(false)
})

test.for(['10.0.0.0/33', 'fd00::/129', '10.0.0.1/x', 'two words', 'http://a', ''])(
  '%j is no target to allow',
  (item) => {
    expect(() => createAddressGuard([item], 'ONESIXTY_WEBHOOK_ALLOW')).toThrow('ONESIXTY_WEBHOOK_ALLOW')
  },
)

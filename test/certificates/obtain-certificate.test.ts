import { once } from 'node:events'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { obtainCertificate, renewIfDue } from '../../src/certificates/obtain-certificate.ts'
import { isDue, readOwnRoot, readPhoneCertificate } from '../../src/certificates/certificate-store.ts'
import { readPendingRequest } from '../../src/certificates/pending-request.ts'
import { createStubClock } from '../stub-clock.ts'
import { openCertificates } from '../reach/made-certificates.ts'
import { type Answer, openCa } from './stub-ca.ts'

const address = '192.168.1.10'
const dayMs = 86_400_000

async function openDeps(from: string, startMs?: number) {
  const dataFolder = await mkdtemp(join(tmpdir(), 'onesixty-certificates-'))
  onTestFinished(() => rm(dataFolder, { recursive: true }))
  const clock = createStubClock(startMs)
  // A poll that is scheduled is due at once: the tests wait for no second.
  const quick = {
    now: clock.now,
    schedule: (_ms: number, task: () => void) => (setImmediate(task), () => undefined),
  }
  return { dataFolder, clock, deps: { dataFolder, clock: quick, from, fetch } }
}

const pending = { status: 202, body: '{"request_id":"r1","status":"pending","message":"wait"}' }

test('a CA that decides after a while is asked until it does, and its certificate is stored with its key', async () => {
  const ca = await openCa([pending, pending, 'approve'])
  const { deps, dataFolder } = await openDeps(ca.from)
  const made = await obtainCertificate(deps, { source: 'ca', address })
  expect(ca.calls).toEqual(['POST /csr', 'GET /csr/r1', 'GET /csr/r1'])
  expect(ca.contents[0]).toEqual({
    type: 'private_server',
    content: expect.stringContaining('BEGIN CERTIFICATE REQUEST'),
  })
  expect(await readPhoneCertificate(dataFolder)).toEqual(made)
  expect(((await stat(join(dataFolder, 'certificates', 'phones.pem'))).mode & 0o777).toString(8)).toBe('600')
})

test.for<[string, Answer[], RegExp]>([
  [
    'denies',
    [{ status: 200, body: '{"request_id":"r1","status":"denied","message":"not private"}' }],
    /denied the request: not private/,
  ],
  ['is asked too often', [{ status: 429, body: '' }], /one request a minute/],
  ['answers in HTML', [{ status: 200, body: '<html>' }], /\/csr answered 200/],
  ['fails', [{ status: 500, body: '{"message":"broken"}' }], /answered 500: broken/],
  ['never decides', Array.from({ length: 61 }, () => pending), /not decided within a minute/],
  ['sends nothing', [{ status: 200, body: '{"status":"approved","certificate":"none"}' }], /not in PEM/],
])('a CA that %s is quoted, and nothing is stored', async ([, answers, words]) => {
  const { deps, dataFolder } = await openDeps((await openCa(answers)).from)
  await expect(obtainCertificate(deps, { source: 'ca', address })).rejects.toThrow(words)
  expect(await readPhoneCertificate(dataFolder)).toBe(null)
})

test('a request that is pending for long is asked for by its ID after a restart, and its key is kept', async () => {
  const ca = await openCa([...Array.from({ length: 61 }, () => pending), pending, 'approve'])
  const { deps, dataFolder, clock } = await openDeps(ca.from)
  await expect(obtainCertificate(deps, { source: 'ca', address })).rejects.toThrow('The request is kept')
  clock.jumpWallClock(3 * dayMs)
  ca.calls.length = 0
  await obtainCertificate(deps, { source: 'ca', address })
  expect(ca.calls).toEqual(['GET /csr/r1', 'GET /csr/r1'])
  expect(ca.contents).toHaveLength(1)
  expect(await readPhoneCertificate(dataFolder)).toMatchObject({ source: 'ca', address })
  expect(await readPendingRequest(dataFolder)).toBe(null)
})

test('a certificate that could not be stored is asked for again: its key is kept until it is', async () => {
  const ca = await openCa([pending, 'approve', 'approve'])
  const { deps, dataFolder } = await openDeps(ca.from)
  // A folder in its place: the rename fails, as on a full disk.
  await mkdir(join(dataFolder, 'certificates', 'phones.pem'), { recursive: true })
  await expect(obtainCertificate(deps, { source: 'ca', address })).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
  await rm(join(dataFolder, 'certificates', 'phones.pem'), { recursive: true })
  await obtainCertificate(deps, { source: 'ca', address })
  expect(ca.calls).toEqual(['POST /csr', 'GET /csr/r1', 'GET /csr/r1'])
  expect(await readPendingRequest(dataFolder)).toBe(null)
})

test('what a CA says is shown without control characters', async () => {
  const denied = { request_id: 'r1', status: 'denied', message: 'no\u001b[2J\u0007 way' }
  const ca = await openCa([{ status: 200, body: JSON.stringify(denied) }])
  const { deps } = await openDeps(ca.from)
  await expect(obtainCertificate(deps, { source: 'ca', address })).rejects.toThrow('request: no[2J way.')
})

test('after a lost answer nothing is posted for a minute, and then the same request', async () => {
  const ca = await openCa([{ status: 502, body: 'a proxy' }, 'approve'])
  const { deps, clock } = await openDeps(ca.from)
  await expect(obtainCertificate(deps, { source: 'ca', address })).rejects.toThrow('answered 502')
  clock.jumpWallClock(59_000)
  await expect(obtainCertificate(deps, { source: 'ca', address })).rejects.toThrow('one request a minute')
  clock.jumpWallClock(1_000)
  await obtainCertificate(deps, { source: 'ca', address })
  expect(ca.calls).toEqual(['POST /csr', 'POST /csr'])
  expect(ca.contents[1]).toEqual(ca.contents[0])
})

test.for<[string, Answer]>([
  ['that the CA no longer knows', { status: 404, body: '{"message":"not found"}' }],
  ['that nobody has decided for a month', 'approve'],
])('a request %s is made anew', async ([, answer]) => {
  const ca = await openCa([...Array.from({ length: 61 }, () => pending), answer, 'approve'])
  const { deps, clock } = await openDeps(ca.from)
  await expect(obtainCertificate(deps, { source: 'ca', address })).rejects.toThrow('The request is kept')
  clock.jumpWallClock(answer === 'approve' ? 30 * dayMs : dayMs)
  await obtainCertificate(deps, { source: 'ca', address })
  expect(ca.calls.filter((call) => call.startsWith('POST'))).toHaveLength(2)
  expect(ca.contents[1]).not.toEqual(ca.contents[0])
})

test('a certificate for another key is not stored', async () => {
  const other = openCertificates()
  onTestFinished(() => other.close())
  const { cert } = other.sign(`IP:${address}`)
  const ca = await openCa([
    { status: 200, body: JSON.stringify({ request_id: 'r1', status: 'approved', certificate: cert }) },
  ])
  const { deps } = await openDeps(ca.from)
  await expect(obtainCertificate(deps, { source: 'ca', address })).rejects.toThrow('it is for another key')
})

test('a CA that is down is said, and the certificate that is there stays', async () => {
  const { deps, dataFolder, clock } = await openDeps(`http://127.0.0.1:${await closedPort()}`)
  const made = await obtainCertificate(deps, { source: 'own', address })
  await expect(obtainCertificate(deps, { source: 'ca', address })).rejects.toThrow(
    /cannot be reached \(ECONNREFUSED\)/,
  )
  expect(await readPhoneCertificate(dataFolder)).toEqual(made)
  expect(isDue(made, clock.now())).toBe(false)
})

test('from day 300 on the certificate is renewed, by the same root and for the same address', async () => {
  const { deps, dataFolder, clock } = await openDeps('http://127.0.0.1:1')
  const made = await obtainCertificate(deps, { source: 'own', address })
  const root = await readOwnRoot(dataFolder)
  clock.jumpWallClock(299 * dayMs)
  expect(await renewIfDue(deps)).toBe(null)
  clock.jumpWallClock(dayMs)
  const renewed = await renewIfDue(deps)
  expect(renewed).toMatchObject({ source: 'own', address })
  expect(renewed?.certificate).not.toBe(made.certificate)
  expect(await readOwnRoot(dataFolder)).toEqual(root)
  expect(await renewIfDue(deps)).toBe(null)
})

/** A port that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('an answer of the CA that has no end is not read to one', async () => {
  let sent = 0
  const server = createServer((_request, response) => {
    const piece = Buffer.alloc(64 * 1024, 'x')
    const more = (): void => {
      while (!response.destroyed && response.write(piece)) sent += piece.length
    }
    response.on('drain', more)
    more()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => (server.closeAllConnections(), void server.close()))
  const { deps } = await openDeps(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await expect(obtainCertificate(deps, { address, source: 'ca' })).rejects.toThrow(
    'answered more than 65536 bytes',
  )
  expect(sent).toBeLessThan(50_000_000)
})

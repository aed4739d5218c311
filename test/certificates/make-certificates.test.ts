import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeLeaf, makeRequest, makeRoot } from '../../src/certificates/make-certificates.ts'

const nowMs = Date.now()
const root = makeRoot(nowMs)
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'onesixty-certificates-'))
  writeFileSync(join(folder, 'root.pem'), root.certificate)
})
afterAll(() => rmSync(folder, { recursive: true }))

const openssl = (args: string, input = ''): string =>
  execFileSync('openssl', args.split(' '), { input, cwd: folder, encoding: 'utf8', stdio: 'pipe' })

/** What OpenSSL says of a certificate for an address, as a client that connects to this address. */
function verified(certificate: string, address: string): string {
  writeFileSync(join(folder, 'leaf.pem'), certificate)
  const { status, stdout, stderr } = spawnSync(
    'openssl',
    [
      'verify',
      '-x509_strict',
      '-purpose',
      'sslserver',
      '-CAfile',
      'root.pem',
      '-verify_ip',
      address,
      'leaf.pem',
    ],
    { cwd: folder, encoding: 'utf8' },
  )
  return status === 0 ? stdout.trim() : stderr
}

const octet = fc.integer({ min: 0, max: 255 })
const privateAddress = fc.oneof(
  fc.tuple(fc.constant(10), octet, octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
)

test('OpenSSL accepts every certificate for the private address that it names, and for no other', () => {
  fc.assert(
    fc.property(privateAddress, ([a, b, c, d]) => {
      const address = [a, b, c, d].join('.')
      const { certificate, key } = makeLeaf(root, address, nowMs)
      expect(verified(certificate, address)).toBe('leaf.pem: OK')
      expect(verified(certificate, [a, b, c, d ^ 1].join('.'))).toContain('IP address mismatch')
      expect(openssl('pkey -pubout', key)).toBe(openssl('x509 -noout -pubkey', certificate))
    }),
    { numRuns: 20 },
  )
}, 60_000)

test.for(['8.8.8.8', '172.32.0.1', '100.64.0.1'])(
  'a certificate of the root for %s, which is public, is refused',
  (address) =>
    expect(verified(makeLeaf(root, address, nowMs).certificate, address)).toContain(
      'permitted subtree violation',
    ),
)

test('the root is a CA for ten years that can certify no other CA, and a leaf lasts 397 days', () => {
  const text = openssl('x509 -noout -text', root.certificate)
  expect(text).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0/)
  expect(text).toMatch(/Name Constraints: critical\s+Permitted:\s+IP:10\.0\.0\.0\/255\.0\.0\.0/)
  expect(text).toMatch(/Key Usage: critical\s+Certificate Sign/)
  expect(text).toContain('prime256v1')
  const daysOf = (certificate: string): number => {
    const { validFromDate, validToDate } = new X509Certificate(certificate)
    return (validToDate.getTime() - validFromDate.getTime()) / 86_400_000
  }
  expect(Math.floor(daysOf(root.certificate))).toBe(3_650)
  expect(daysOf(makeLeaf(root, '10.0.0.1', nowMs).certificate)).toBe(397)
  const nineYears = nowMs + 3_285 * 86_400_000
  const late = new X509Certificate(makeLeaf(root, '10.0.0.1', nineYears).certificate).validTo
  expect(late).toBe(new X509Certificate(root.certificate).validTo)
})

test('OpenSSL reads a request: its own signature, P-256, one address, and what a server needs', () => {
  const { request } = makeRequest('192.168.1.10')
  expect(() => openssl('req -verify -noout', request)).not.toThrow()
  const text = openssl('req -noout -text', request)
  expect(text).toMatch(/Subject: CN ?= ?192\.168\.1\.10/)
  expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Key Encipherment/)
  expect(text).toContain('TLS Web Server Authentication')
  expect(text).toMatch(/Subject Alternative Name:\s+IP Address:192\.168\.1\.10/)
})

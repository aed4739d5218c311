import { execFileSync } from 'node:child_process'
import { appendFile, chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { fingerprintOf, readSigningKey, signSums } from '../../scripts/release/sign.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onesixty-sign-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'SHA256SUMS'), `${'a'.repeat(64)}  onesixty-0.2.0.tgz\n`)
})

/** OpenSSL, as SECURITY.md calls it. */
const openssl = (...args: string[]): string =>
  execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const verify = (): string =>
  openssl('pkeyutl', '-verify', '-pubin', '-inkey', 'release-key.pem', '-rawin', '-in', 'SHA256SUMS', '-sigfile', 'SHA256SUMS.sig') // prettier-ignore

test('openssl verifies the signature of the sums, and finds one changed byte of them', async () => {
  openssl('genpkey', '-algorithm', 'ed25519', '-out', 'key.pem')
  openssl('pkey', '-in', 'key.pem', '-pubout', '-out', 'release-key.pem')
  await chmod(join(folder, 'key.pem'), 0o600)
  const key = await readSigningKey({ RELEASE_KEY_FILE: join(folder, 'key.pem') })
  if (key === null) throw new Error('No key was read.')
  const signature = await signSums(join(folder, 'SHA256SUMS'), key)
  expect((await stat(signature)).size).toBe(64)
  expect(verify()).toContain('Signature Verified Successfully')
  const der = execFileSync('openssl', ['pkey', '-pubin', '-in', 'release-key.pem', '-outform', 'DER'], {
    cwd: folder,
  })
  await writeFile(join(folder, 'key.der'), der)
  expect(openssl('dgst', '-sha256', '-r', 'key.der')).toContain(fingerprintOf(key))
  const first = await readFile(signature)
  await signSums(join(folder, 'SHA256SUMS'), key)
  expect(await readFile(signature)).toEqual(first)
  await appendFile(join(folder, 'SHA256SUMS'), '\n')
  expect(verify).toThrow('Command failed')
})

test('without a key nothing is signed; another kind of key, and one that others can read, are refused', async () => {
  expect(await readSigningKey({})).toBeNull()
  expect(await readSigningKey({ RELEASE_KEY_FILE: '' })).toBeNull()
  openssl('genpkey', '-algorithm', 'rsa', '-out', 'rsa.pem')
  const env = { RELEASE_KEY_FILE: join(folder, 'rsa.pem') }
  await chmod(env.RELEASE_KEY_FILE, 0o644)
  await expect(readSigningKey(env)).rejects.toThrow('Run chmod 600')
  await chmod(env.RELEASE_KEY_FILE, 0o600)
  await expect(readSigningKey(env)).rejects.toThrow('of the kind rsa')
  await expect(readSigningKey({ RELEASE_KEY_FILE: join(folder, 'none') })).rejects.toThrow('ENOENT')
})

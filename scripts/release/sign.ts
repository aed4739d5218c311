import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'

/** The file with the key, in an environment that tools of the build see: never the key itself. */
const setting = 'RELEASE_KEY_FILE'

/**
 * Reads the key that signs a release from the file that `RELEASE_KEY_FILE` names: an Ed25519 key in PEM, which `openssl genpkey -algorithm ed25519`
 * writes. Returns null where none is set. Throws for another kind of key, and for a file that others than its owner can read.
 */
export async function readSigningKey(
  env: Readonly<Record<string, string | undefined>>,
): Promise<KeyObject | null> {
  const file = env[setting] ?? ''
  if (file === '') return null
  const { mode } = await stat(file)
  if ((mode & 0o077) !== 0) throw new Error(`${setting}: others can read ${file}. Run chmod 600 ${file}.`)
  const key = createPrivateKey(await readFile(file))
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`${setting}: ${file} has a key of the kind ${key.asymmetricKeyType}. Create one with openssl genpkey -algorithm ed25519.`) // prettier-ignore
  return key
}

/** Signs a file of sums (RFC 8032, Ed25519): writes the 64 bytes that `openssl pkeyutl -verify -rawin` reads, and returns their path. */
export async function signSums(sums: string, key: KeyObject): Promise<string> {
  const file = `${sums}.sig`
  await writeFile(file, sign(null, await readFile(sums), key))
  return file
}

/** Returns what people compare with the key that they have: the SHA-256 of the public key in DER (SECURITY.md). */
export const fingerprintOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('hex')

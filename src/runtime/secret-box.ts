import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { deriveKey, everySecret, type InstanceSecret } from './derived-keys.ts'

/**
 * Encrypts texts that must be read again (passwords of devices). AES-256-GCM (NIST SP 800-38D) with a key
 * derived for one purpose by HKDF-SHA-256 (RFC 5869), so that one purpose cannot decrypt what another
 * encrypted.
 *
 * Format: `v1.<which secret>.<base64url of nonce, ciphertext, tag>`. The secret is identified by 4 bytes of a
 * hash of the derived key, so that texts encrypted before a change of the secret still find theirs.
 */
export interface SecretBox {
  /** Encrypts for one owner. `owner`, such as a device ID, must be the same to decrypt. */
  seal(text: string, owner: string): string
  /**
   * Returns the text. Throws if it was changed, belongs to another owner, or its secret is neither the
   * current nor a former one.
   */
  open(sealed: string, owner: string): string
  /**
   * Returns whether the secret that it was encrypted with is available. If that secret was declared lost
   * (secret accept), the text is unreadable permanently.
   */
  canOpen(sealed: string): boolean
}

/**
 * Creates a box for one purpose (AES-256-GCM, NIST SP 800-38D). It cannot decrypt what was encrypted for
 * another purpose.
 */
export function createSecretBox(secret: InstanceSecret, purpose: string): SecretBox {
  const current = derive(secret.current, purpose)
  const known = everySecret(secret).map((each) => derive(each, purpose))
  const keyOf = (sealed: string) => known.find(({ name }) => name === sealed.split('.')[1])

  return {
    seal(text, owner) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(associatedData(purpose, owner))
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `v1.${current.name}.${sealed.toString('base64url')}`
    },
    open(sealed, owner) {
      const [version, , body = ''] = sealed.split('.')
      if (version !== 'v1')
        throw new Error('A stored secret has a format that this version does not support.')
      const derived = keyOf(sealed)
      if (derived === undefined) {
        throw new Error(
          'A stored secret was encrypted with another ONESIXTY_SECRET. Restore that one, or add it as a line of secret.previous.',
        )
      }
      return decrypt(derived.key, Buffer.from(body, 'base64url'), associatedData(purpose, owner))
    },
    canOpen: (sealed) => keyOf(sealed) !== undefined,
  }
}

/** Creates the box for secrets of devices, such as SMPP passwords. */
export const createDeviceSecretBox = (secret: InstanceSecret): SecretBox => createSecretBox(secret, 'device')

/** Creates the box for the signing secrets of webhook endpoints. */
export const createWebhookSecretBox = (secret: InstanceSecret): SecretBox =>
  createSecretBox(secret, 'webhook')

const nonceBytes = 12
const tagBytes = 16

interface DerivedKey {
  name: string
  key: Buffer
}

function derive(secret: string, purpose: string): DerivedKey {
  const key = Buffer.from(deriveKey(secret, purpose))
  return { name: createHash('sha256').update('name').update(key).digest('hex').slice(0, 8), key }
}

const associatedData = (purpose: string, owner: string): Buffer => Buffer.from(`${purpose}\0${owner}`)

function decrypt(key: Buffer, sealed: Buffer, aad: Buffer): string {
  const wrong = new Error('A stored secret was changed, or belongs to another owner.')
  if (sealed.length < nonceBytes + tagBytes) throw wrong
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(aad)
    .setAuthTag(sealed.subarray(-tagBytes))
  try {
    return Buffer.concat([
      decipher.update(sealed.subarray(nonceBytes, -tagBytes)),
      decipher.final(),
    ]).toString('utf8')
  } catch {
    throw wrong
  }
}

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { deriveKey, everySecret, type InstanceSecret } from './derived-keys.ts'

/**
 * Encrypts texts that must be read again (passwords of devices). AES-256-GCM (NIST SP 800-38D) under a key derived for one purpose
 * by HKDF-SHA-256 (RFC 5869), so that no purpose can open what another sealed.
 *
 * Sealed: `v1.<which secret>.<base64url of nonce, ciphertext, tag>`. Which secret it was tells 4 bytes of a hash of the derived key, so that
 * after a change of the secret old texts still find theirs.
 */
export interface SecretBox {
  /** Seals for one owner: `owner`, such as a device's id, must be the same to open it. */
  seal(text: string, owner: string): string
  /** Gives the text, or throws when it was tampered with, belongs to another owner, or its secret is neither the current nor a former one. */
  open(sealed: string, owner: string): string
  /** Whether the secret that it was sealed under is at hand; where that one was given up (secret accept), nobody opens it again. */
  canOpen(sealed: string): boolean
}

/** A box for one purpose (AES-256-GCM, NIST SP 800-38D): nothing that was sealed for another can be opened with it. */
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
      if (version !== 'v1') throw new Error('A stored secret has a form that this version does not know.')
      const derived = keyOf(sealed)
      if (derived === undefined) {
        throw new Error(
          'A stored secret was sealed under another ONESIXTY_SECRET. Put that one back, or beside the present one as a line of secret.previous.',
        )
      }
      return decrypt(derived.key, Buffer.from(body, 'base64url'), associatedData(purpose, owner))
    },
    canOpen: (sealed) => keyOf(sealed) !== undefined,
  }
}

/** The box of what devices need: passwords of links and the like. */
export const createDeviceSecretBox = (secret: InstanceSecret): SecretBox => createSecretBox(secret, 'device')

/** The box of the secrets that sign what webhook endpoints are told. */
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
  const wrong = new Error('A stored secret was changed, or belongs to something else.')
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

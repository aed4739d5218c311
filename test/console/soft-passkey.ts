import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** What a test may have an authenticator, or the browser before it, do otherwise. */
export interface Quirks {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  crossOrigin?: boolean
  isPresent?: boolean
  isVerified?: boolean
  counter?: number
  userHandle?: string
  /** Signs with a key that was never told. */
  signsWithOtherKey?: boolean
  /** Comes with a certificate of the maker. */
  hasCertificate?: boolean
  transports?: string[]
}

export interface MadePasskey {
  id: string
  clientDataJSON: string
  attestationObject: string
  transports: string[]
}

export interface UsedPasskey {
  id: string
  clientDataJSON: string
  authenticatorData: string
  signature: string
  userHandle: string
}

/** One credential of an authenticator in software (WebAuthn Level 3, section 6): ES256, no attestation, and a counter unless told otherwise. */
export interface SoftPasskey {
  id: string
  make(options: CreationOptions, quirks?: Quirks): MadePasskey
  use(options: { challenge: string }, quirks?: Quirks): UsedPasskey
}

interface CreationOptions {
  challenge: string
  user: { id: string }
}

/** A credential for the console at `origin`. */
export function newSoftPasskey(origin: string): SoftPasskey {
  const id = randomBytes(32)
  const [own, other] = [newKey(), newKey()]
  let userHandle = ''
  let counter = 0
  const hostname = new URL(origin).hostname
  const clientData = (challenge: string, type: string, quirks: Quirks): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: quirks.type ?? type,
        challenge: quirks.challenge ?? challenge,
        origin: quirks.origin ?? origin,
        crossOrigin: quirks.crossOrigin ?? false,
      }),
    )
  const authenticatorData = (quirks: Quirks, credential: Buffer = Buffer.alloc(0)): Buffer => {
    const { isPresent = true, isVerified = true, rpId = hostname } = quirks
    const flags = (isPresent ? 1 : 0) | (isVerified ? 4 : 0) | (credential.length > 0 ? 64 : 0)
    counter = quirks.counter ?? counter + 1
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.of(flags), count, credential])
  }
  return {
    id: id.toString('base64url'),
    make({ challenge, user }, quirks = {}) {
      userHandle = user.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const authData = authenticatorData(quirks, Buffer.concat([Buffer.alloc(16), length, id, own.cose]))
      const certificates = new Map<string, Cbor>([
        ['alg', -7],
        ['sig', Buffer.of(1)],
        ['x5c', [Buffer.of(1)]],
      ])
      const attestation = new Map<string, Cbor>([
        ['fmt', quirks.hasCertificate === true ? 'packed' : 'none'],
        ['attStmt', quirks.hasCertificate === true ? certificates : new Map()],
        ['authData', authData],
      ])
      return {
        id: id.toString('base64url'),
        clientDataJSON: clientData(challenge, 'webauthn.create', quirks).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
        transports: quirks.transports ?? ['internal'],
      }
    },
    use({ challenge }, quirks = {}) {
      const authData = authenticatorData(quirks)
      const client = clientData(challenge, 'webauthn.get', quirks)
      const { privateKey } = quirks.signsWithOtherKey === true ? other : own
      return {
        id: id.toString('base64url'),
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', Buffer.concat([authData, sha256(client)]), privateKey).toString(
          'base64url',
        ),
        userHandle: quirks.userHandle ?? userHandle,
      }
    },
  }
}

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** A key pair of ES256; the public key as COSE (RFC 9053, section 7.1.1). */
function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const key = new Map<number, Cbor>([[1, 2], [3, -7], [-1, 1], [-2, Buffer.from(x, 'base64url')], [-3, Buffer.from(y, 'base64url')]]) // prettier-ignore
  return { privateKey, cose: cbor(key) }
}

type Cbor = number | string | Uint8Array | readonly Cbor[] | ReadonlyMap<number | string, Cbor>

/** As much of CBOR as a passkey needs (RFC 8949, section 3). */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([name, of]) => [cbor(name), cbor(of)])])
  const items = value as readonly Cbor[]
  return Buffer.concat([head(4, items.length), ...items.map(cbor)])
}

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.of((major << 5) | count)
  return count < 256
    ? Buffer.of((major << 5) | 24, count)
    : Buffer.of((major << 5) | 25, count >> 8, count & 255)
}

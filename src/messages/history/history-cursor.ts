import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { refuse } from '../../runtime/errors.ts'
import {
  type ChangePlace,
  everyMessage,
  type HistoryOwner,
  type HistoryPosition,
  type HistoryQuery,
} from './history-query.ts'

/** All that the next page needs. */
export interface HistoryCursor {
  query: HistoryQuery
  position: HistoryPosition
}

const version = 1
const tagBytes = 16
/** Enough for a query with 100 IDs and a position, in base64. */
export const maxCursorLength = 6_000

/**
 * Writes a cursor as text that clients can neither read nor change: a version byte, then encryption with a
 * synthetic nonce (the construction of RFC 5297 with HMAC-SHA256 and AES-256-CTR), under keys derived from
 * `key`, at least 32 random bytes. Random nonces of GCM would wear out the key after 2^32 pages. Account and
 * mode are authenticated too: a cursor of another owner does not open.
 */
export function sealCursor(key: Uint8Array, owner: HistoryOwner, cursor: HistoryCursor): string {
  const { query, position } = cursor
  const plain = Buffer.from(
    JSON.stringify([changed(query), position.id, position.updatedAtMs, position.change]),
  )
  const tag = tagOf(key, owner, plain)
  const cipher = createCipheriv('aes-256-ctr', subkeysOf(key).encrypt, tag)
  return Buffer.concat([Buffer.of(version), tag, cipher.update(plain), cipher.final()]).toString('base64url')
}

/**
 * Opens a cursor that `sealCursor` wrote for the same owner. Rejects any other text with `invalid_cursor`.
 */
export function openCursor(key: Uint8Array, owner: HistoryOwner, text: string): HistoryCursor {
  if (text.length > maxCursorLength) throw refuse('invalid_cursor')
  const bytes = Buffer.from(text, 'base64url')
  // Compared as text, because the decoder skips unknown characters and drops spare bits.
  if (bytes[0] !== version || bytes.length < 1 + tagBytes || bytes.toString('base64url') !== text)
    throw refuse('invalid_cursor')
  const tag = bytes.subarray(1, 1 + tagBytes)
  const decipher = createDecipheriv('aes-256-ctr', subkeysOf(key).encrypt, tag)
  const plain = Buffer.concat([decipher.update(bytes.subarray(1 + tagBytes)), decipher.final()])
  if (!timingSafeEqual(tag, tagOf(key, owner, plain))) throw refuse('invalid_cursor')
  const [query, id, updatedAtMs, change] = JSON.parse(plain.toString()) as [
    Partial<HistoryQuery>,
    string,
    number | null,
    ChangePlace | null | undefined,
  ]
  const position = { id, updatedAtMs, ...(change && { change }) }
  return { query: { ...everyMessage, ...query }, position }
}

interface Subkeys {
  encrypt: KeyObject
  authenticate: KeyObject
}

/** Derived once for each key: three HMACs and their key objects would take an eighth of the time of a page. */
const derived = new WeakMap<Uint8Array, Subkeys>()

function subkeysOf(key: Uint8Array): Subkeys {
  const known = derived.get(key)
  if (known !== undefined) return known
  const subkey = (use: keyof Subkeys): KeyObject =>
    createSecretKey(createHmac('sha256', key).update(`history cursor ${version}: ${use}`).digest())
  const made = { encrypt: subkey('encrypt'), authenticate: subkey('authenticate') }
  derived.set(key, made)
  return made
}

const tagOf = (key: Uint8Array, owner: HistoryOwner, plain: Buffer): Buffer =>
  createHmac('sha256', subkeysOf(key).authenticate)
    .update(`${owner.accountId}/${owner.mode}\0`)
    .update(plain)
    .digest()
    .subarray(0, tagBytes)

/** Returns the members of a query that differ from the default. */
const changed = (query: HistoryQuery): Partial<HistoryQuery> =>
  Object.fromEntries(
    Object.entries(query).filter(([name, value]) =>
      Array.isArray(value) ? value.length > 0 : value !== everyMessage[name as keyof HistoryQuery],
    ),
  )

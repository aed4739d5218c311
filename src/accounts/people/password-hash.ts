import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** OWASP’s second choice for argon2id. Each running sign-in takes 19 MiB and about 40 ms on one core. */
const current: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const keyBytes = 32
/** Node.js has four threads for such work; two are left to files and DNS lookups. */
const maxConcurrent = 2

interface Cost {
  /** KiB. */
  memory: number
  passes: number
  parallelism: number
}

/** Returns the argon2id hash of a password, with its cost and salt (PHC string format). */
export async function hashPassword(
  { randomBytes }: { randomBytes: (count: number) => Uint8Array },
  password: string,
): Promise<string> {
  const salt = randomBytes(16)
  const key = await inTurn(() => argon2Key(password, salt, current, keyBytes))
  const { memory, passes, parallelism } = current
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(key)}`
}

/** Returns whether a hash of `hashPassword`, at any cost, is of this password. */
export async function verifyPassword({
  hash,
  password,
}: {
  hash: string
  password: string
}): Promise<boolean> {
  const [, m, t, p, salt, key] = phcForm.exec(hash) ?? []
  if (salt === undefined || key === undefined) return false
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) }
  const expected = Buffer.from(key, 'base64')
  const derived = await inTurn(() => argon2Key(password, Buffer.from(salt, 'base64'), cost, expected.length))
  return timingSafeEqual(derived, expected)
}

/** Returns whether `hashPassword` would now use another cost. */
export const isOutdatedHash = (hash: string): boolean => {
  const [, m, t, p] = phcForm.exec(hash) ?? []
  return Number(m) !== current.memory || Number(t) !== current.passes || Number(p) !== current.parallelism
}

const phcForm = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]{22,})$/

/** Normalizes a password, since keyboards compose letters differently. */
const bytesOf = (password: string): Buffer => Buffer.from(password.normalize('NFKC'))

/** Reads `argon2` on each call: a test replaces it to count hashes. */
const argon2Key = (password: string, nonce: Uint8Array, cost: Cost, tagLength: number): Promise<Buffer> =>
  promisify(argon2)('argon2id', { message: bytesOf(password), nonce, tagLength, ...cost })

/** Encodes without padding. */
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '')

let running = 0
const waiting: (() => void)[] = []

/** Runs at most `maxConcurrent` at the same time; others wait in order of arrival. */
async function inTurn<T>(run: () => Promise<T>): Promise<T> {
  if (running >= maxConcurrent) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  try {
    return await run()
  } finally {
    // The next one takes over the slot.
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }
}

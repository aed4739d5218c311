import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** OWASP’s second choice for argon2id, which takes 19 MiB for each sign-in that is under way: about 40 ms on one core. */
const today: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const keyBytes = 32
/** Of the four threads that Node has for such work, two are left to files and the names of hosts. */
const maxAtOnce = 2

interface Cost {
  /** KiB. */
  memory: number
  passes: number
  parallelism: number
}

/** The argon2id hash of a password, with its cost and salt (the string format of PHC). */
export async function hashPassword(
  { randomBytes }: { randomBytes: (count: number) => Uint8Array },
  password: string,
): Promise<string> {
  const salt = randomBytes(16)
  const key = await inTurn(() => argon2Key(password, salt, today, keyBytes))
  const { memory, passes, parallelism } = today
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(key)}`
}

/** Whether a hash is of this password: one of `hashPassword`, at whatever cost. */
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

/** Whether `hashPassword` would make a hash of another cost today. */
export const isOutdatedHash = (hash: string): boolean => {
  const [, m, t, p] = phcForm.exec(hash) ?? []
  return Number(m) !== today.memory || Number(t) !== today.passes || Number(p) !== today.parallelism
}

const phcForm = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]{22,})$/

/** In one form, however a keyboard composes its letters. */
const bytesOf = (password: string): Buffer => Buffer.from(password.normalize('NFKC'))

/** Promised anew each time: a test counts what hashes by putting its own in the place of `argon2`. */
const argon2Key = (password: string, nonce: Uint8Array, cost: Cost, tagLength: number): Promise<Buffer> =>
  promisify(argon2)('argon2id', { message: bytesOf(password), nonce, tagLength, ...cost })

/** Without the padding. */
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '')

let running = 0
const waiting: (() => void)[] = []

/** Lets so many run at once; the others wait, first come, first served. */
async function inTurn<T>(run: () => Promise<T>): Promise<T> {
  if (running >= maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  try {
    return await run()
  } finally {
    // Whoever comes next takes over the place.
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }
}

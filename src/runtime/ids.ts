import { randomFillSync } from 'node:crypto'

/** Kind of thing that an ID names. The prefix shows it to readers and keeps IDs of different things apart. */
export type IdPrefix =
  | 'acc' | 'usr' | 'key' | 'snd' | 'msg' | 'att' | 'dev' | 'evt' | 'req' | 'whk' | 'led' | 'aud' | 'ptk' | 'phn' | 'lnk' | 'mov' | 'otk' | 'alr' | 'psk' | 'grp' | 'rul' | 'can' // prettier-ignore

/** Creates a new ID of this kind. Later IDs of one generator sort after earlier ones. */
export type Ids = (prefix: IdPrefix) => string

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const pairs = Array.from({ length: 1024 }, (_, i) => alphabet.charAt(i >> 5) + alphabet.charAt(i & 31))
const pair = (value: number): string => pairs[value & 1023] as string

/**
 * Returns a generator of TypeIDs (jetify TypeID 0.3: `prefix_` and a UUIDv7, RFC 9562 section 5.7, in 26
 * characters of Crockford base32). Within one millisecond the 12 bits of rand_a count up from a random start,
 * so IDs of one process never step back, not even when the wall clock does.
 */
export function createIds(deps: { now: () => number; fillRandom?: (bytes: Uint8Array) => void }): Ids {
  const fillRandom = deps.fillRandom ?? ((bytes: Uint8Array) => void randomFillSync(bytes))
  const pool = new Uint8Array(12 * 512)
  let used = pool.length
  let lastMs = -1
  let counter = 0
  let time = ''

  const nextRandom = (): number => {
    if (used === pool.length) {
      fillRandom(pool)
      used = 0
    }
    return pool[used++] as number
  }

  return (prefix) => {
    const nowMs = deps.now()
    if (nowMs > lastMs) {
      lastMs = nowMs
      counter = (nextRandom() << 3) & 0x7ff
      time = encodeTime(lastMs)
    } else if (++counter > 0xfff) {
      lastMs += 1
      counter = 0
      time = encodeTime(lastMs)
    }
    // Version (0111), counter, variant (10) and two random bits make 20 bits: four characters.
    const head = 0x70000 | (counter << 4) | 0b1000 | (nextRandom() & 3)
    let tail = ''
    for (let i = 0; i < 6; i++) tail += pair((nextRandom() << 5) ^ nextRandom())
    return `${prefix}_${time}${pair(head >> 10)}${pair(head)}${tail}`
  }
}

/**
 * Returns the ID for the time `atMs` whose random part is the first ten bytes of `chance`, except for the
 * bits that mark a UUIDv7.
 */
export function idWith(prefix: IdPrefix, atMs: number, chance: Uint8Array): string {
  const byte = (i: number): number => {
    const value = chance[i] ?? 0
    return i === 0 ? 0x70 | (value & 0x0f) : i === 2 ? 0x80 | (value & 0x3f) : value
  }
  let out = `${prefix}_${encodeTime(atMs)}`
  for (const from of [0, 5]) {
    // Five bytes are eight characters.
    let bits = 0
    for (let i = from; i < from + 5; i++) bits = bits * 256 + byte(i)
    for (let shift = 2 ** 30; shift >= 1; shift /= 1024) out += pair(Math.floor(bits / shift) % 1024)
  }
  return out
}

/**
 * Returns an ID for the place of its row in the order of commits, with the random part of `id`: the time
 * `atMs`, then `tick` (0 to 4095) in rand_a, then `index` (0 to 2^20 - 1) in rand_b. These are the monotonic
 * counters of RFC 9562, section 6.2, method 1: IDs sort by time, tick and index.
 */
export function stampedId(
  id: string,
  { atMs, tick, index }: { atMs: number; tick: number; index: number },
): string {
  const begin = id.indexOf('_')
  const head = 0x70000 | (tick << 4) | 0b1000
  return `${id.slice(0, begin)}_${encodeTime(atMs)}${pair(head >> 10)}${pair(head)}${pair(index >> 10)}${pair(index)}${id.slice(begin + 19)}`
}

/** Encodes 48 bits of time, preceded by two zero bits, in ten characters. */
function encodeTime(ms: number): string {
  let out = ''
  for (let rest = ms, i = 0; i < 5; i++, rest = Math.floor(rest / 1024)) out = pair(rest % 1024) + out
  return out
}

/**
 * Returns when an ID was created, in milliseconds: the first ten characters after the prefix. `id` must be a
 * valid ID.
 */
export function timeOfId(id: string): number {
  let ms = 0
  for (const character of id.slice(id.indexOf('_') + 1).slice(0, 10))
    ms = ms * 32 + alphabet.indexOf(character)
  return ms
}

const typeId = /^[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** Returns the pattern of `isId` for schemas. */
export const idPattern = (prefix: IdPrefix): string => typeId.source.replace('[a-z]{3}', prefix)

/** Returns whether `value` has the form of an ID with this prefix. The ID need not exist. */
export const isId = (prefix: IdPrefix, value: string): boolean =>
  value.startsWith(prefix) && typeId.test(value)

/** Returns the smallest ID that could have been created at `atMs`: a bound for ranges by time of creation. */
export const lowestIdAt = (prefix: IdPrefix, atMs: number): string =>
  `${prefix}_${encodeTime(Math.max(0, atMs))}0000000000000000`

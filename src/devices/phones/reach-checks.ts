import { createHash } from 'node:crypto'
import { placeOf } from '../../process/own-address.ts'
import { dayMs } from '../../runtime/clock.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { ReachCheckTable } from '../../storage/tables/device-tables.ts'

/** A link is valid this long, and what it showed is evidence for as long after. */
const reachCheckMs = dayMs

/** A phone that opened the link of a check. */
export interface ReachedFrom {
  atMs: number
  /** Address of the client. */
  from: string
}

/** A link that a phone opens to show that phones reach this instance. */
export interface ReachCheck {
  nonce: string
  /** What the phone opens. */
  link: string
}

/**
 * Adds a check, and returns its link below the API URL of phones. The nonce is stored as a hash, and the address with
 * it: what a phone shows is true of this address alone.
 */
export async function beginReachCheck(
  tx: Tx,
  { nowMs, randomBytes }: { nowMs: number; randomBytes: (count: number) => Uint8Array },
  phoneUrl: string,
): Promise<ReachCheck> {
  const nonce = Buffer.from(randomBytes(16)).toString('base64url')
  const row = {
    nonce_hash: hashOf(nonce),
    created_at: nowMs,
    opened_at: null,
    opened_from: null,
    address: placeOf(phoneUrl),
  }
  await tx.insertInto('reach_checks').values(row).execute()
  return { nonce, link: `${phoneUrl}/reach/${nonce}` }
}

/** Returns who opened the link of a check first; null while no phone has, and for an unknown nonce. */
export async function readReachCheck(db: Db, nonce: string): Promise<ReachedFrom | null> {
  const row = await db
    .selectFrom('reach_checks')
    .select(['opened_at', 'opened_from'])
    .where('nonce_hash', '=', hashOf(nonce))
    .executeTakeFirst()
  return reachedIn(row)
}

/** Returns the latest phone that opened a link for this API URL; null without one in the last two days. */
export async function readLastReached(db: Db, phoneUrl: string): Promise<ReachedFrom | null> {
  const row = await db
    .selectFrom('reach_checks')
    .select(['opened_at', 'opened_from'])
    .where('opened_at', 'is not', null)
    .where('address', '=', placeOf(phoneUrl))
    .orderBy('opened_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return reachedIn(row)
}

/** A check whose link is still valid. */
export interface OpenReachCheck {
  /** Scheme, host and port that its link is for; null in a check of an earlier version. */
  address: string | null
  /** A phone opened it before. */
  wasOpened: boolean
}

/** Returns the check of a nonce; null for an unknown nonce, and for a link that is not valid any more. */
export async function findReachCheck(db: Db, nonce: string, nowMs: number): Promise<OpenReachCheck | null> {
  const row = await db
    .selectFrom('reach_checks')
    .select(['created_at', 'opened_at', 'address'])
    .where('nonce_hash', '=', hashOf(nonce))
    .executeTakeFirst()
  if (row === undefined || nowMs - row.created_at >= reachCheckMs) return null
  return { address: row.address, wasOpened: row.opened_at !== null }
}

/** Records that a phone opened the link of a check. Only the first one is kept. */
export async function markReached(tx: Tx, nonce: string, { atMs, from }: ReachedFrom): Promise<void> {
  await tx
    .updateTable('reach_checks')
    .set({ opened_at: atMs, opened_from: from })
    .where('nonce_hash', '=', hashOf(nonce))
    .where('opened_at', 'is', null)
    .execute()
}

/**
 * Returns whether a browser says that it runs on a phone: Android, iPhone and iPad do (RFC 9110 section 10.1.5
 * leaves the words to them). Programs that fetch previews of links copy these words, and add their own name.
 */
export const isPhoneBrowser = (userAgent: string): boolean =>
  /\b(?:Android|iPhone|iPad|Mobile)\b/.test(userAgent) &&
  !/bot\b|crawl|spider|preview|compatible;|WhatsApp|facebookexternalhit/i.test(userAgent)

const reachedIn = (row: Pick<ReachCheckTable, 'opened_at' | 'opened_from'> | undefined): ReachedFrom | null =>
  row === undefined || row.opened_at === null || row.opened_from === null
    ? null
    : { atMs: row.opened_at, from: row.opened_from }

const hashOf = (nonce: string): string => createHash('sha256').update(nonce).digest('hex')

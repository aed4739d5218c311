import { sql, type SqlBool } from 'kysely'
import { allDone } from '../../runtime/all-done.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { deleteRows, insertRows, selectEach } from '../../storage/seam/sets.ts'
import { readingsOf, type ReceiptWord, tellingDigits, tellingEnds } from './receipt-readings.ts'

/**
 * A response arrives within this time or not at all: an older unmatched receipt is about another message, if
 * its ID is used again.
 */
const sameMessageMs = 600_000

/**
 * Keeps unmatched receipts under each of their readings. Of two receipts with one ID the first counts, as it
 * would if it matched, unless it has been kept so long that the network has reused the ID.
 */
export async function keepUnmatched(tx: Tx, words: readonly ReceiptWord[]): Promise<void> {
  const rows = words.flatMap(({ deviceId, ...word }) =>
    readingsOf(word).map((network_id, reading) => ({
      network_id,
      device_id: deviceId,
      reading,
      body: JSON.stringify(word),
      received_at: word.atMs,
    })),
  )
  if ((await insertRows(tx, 'parked_receipts', rows, 'ignore')) === rows.length) return
  const outdated = await selectEach<UnmatchedKey>(
    tx,
    outdatedAt,
    rows.map((row) => [row.network_id, row.device_id, row.reading, row.received_at - sameMessageMs]),
  )
  await deleteRows(tx, 'parked_receipts', unmatchedKey, outdated)
  if (outdated.length > 0) await insertRows(tx, 'parked_receipts', rows, 'ignore')
}

const unmatchedKey = ['network_id', 'device_id', 'reading'] as const
type UnmatchedKey = Record<(typeof unmatchedKey)[number], string | number>

const outdatedAt = {
  sql: `select network_id, device_id, reading from parked_receipts
        where network_id = :network and device_id = :device and reading = :reading and received_at <= :before`,
  inputs: ['network', 'device', 'reading', 'before'],
} as const

/**
 * Builds the prefix of the key of a receipt that returns only the reference of its part
 * (src/smpp/values/receipt.ts).
 */
const withoutId = (reference: number, next: '/' | '0'): string => `?${reference}${next}`

/** An ID that the network has reported, and its attempt. */
interface Told {
  networkId: string
  /** The `referenceOfPart` of the part with this ID. */
  reference: number
  deviceId: string
  groupId?: string | undefined
  accountId: string
  mode: Mode
  messageId: string
  attemptNumber: number
}

const unmatchedOf = {
  sql: 'select device_id, body, received_at, :told as told from parked_receipts where network_id = :network and device_id = :device order by reading',
  inputs: ['network', 'device', 'told'],
  few: true,
  // To take one out, or to keep one, needs all lanes.
  lanes: 'fixed',
} as const
const unmatchedWithoutId = {
  sql: `select device_id, body, received_at, :told as told from parked_receipts
        where network_id > :from and network_id < :behind and device_id = :device order by network_id`,
  inputs: ['from', 'behind', 'device', 'told'],
  few: true,
  lanes: 'fixed',
} as const
const unmatchedInGroup = {
  sql: `select p.device_id, p.body, p.received_at, :told as told from device_groups g cross join devices d cross join parked_receipts p
        where g.id = :group and g.shared_receipts = 1 and d.group_id = g.id and d.id <> :device and p.network_id = :network and p.device_id = d.id
        order by p.device_id, p.reading`,
  inputs: ['group', 'device', 'network', 'told'],
  lanes: 'fixed',
} as const
const startOf = {
  sql: 'select started_at, :told as told from attempts where account_id = :account and mode = :mode and message_id = :message and number = :number',
  inputs: ['account', 'mode', 'message', 'number', 'told'],
} as const

/** The wall clock can be set back this much between the start of an attempt and its receipt. */
const clockErrorMs = 180_000

/**
 * Removes and returns the unmatched receipts with these IDs, each once and as received. A receipt that
 * arrived before the attempt began is about another message with that ID, and stays.
 */
export async function takeUnmatched(tx: Tx, told: readonly Told[]): Promise<ReceiptWord[]> {
  const own = (
    await allDone([
      selectEach<FoundRow>(
        tx,
        unmatchedOf,
        told.map(({ networkId, deviceId }, i) => [networkId, deviceId, i]),
      ),
      selectEach<FoundRow>(
        tx,
        unmatchedWithoutId,
        // `0` is the next character after `/`.
        told.map(({ reference, deviceId }, i) => [
          withoutId(reference, '/'),
          withoutId(reference, '0'),
          deviceId,
          i,
        ]),
      ),
    ])
  ).flat()
  const found = new Set(own.map((row) => row.told))
  const missed = told.flatMap(({ networkId, deviceId, groupId }, i) =>
    groupId === undefined || found.has(i) ? [] : [[groupId, deviceId, networkId, i]],
  )
  const rows =
    missed.length === 0 ? own : [...own, ...(await selectEach<FoundRow>(tx, unmatchedInGroup, missed))]
  const begun = await selectEach<{ started_at: number; told: number }>(
    tx,
    startOf,
    [...new Set(rows.map((row) => row.told))].map((i) => {
      const { accountId, mode, messageId, attemptNumber } = told[i] as Told
      return [accountId, mode, messageId, attemptNumber, i]
    }),
  )
  const starts = new Map(begun.map((start) => [start.told, start.started_at]))
  const taken = await takeOut(
    tx,
    rows.filter((row) => row.received_at >= (starts.get(row.told) ?? -Infinity) - clockErrorMs),
  )
  // It may have been kept before its device joined the group.
  const groups = new Map(rows.map((row) => [row.device_id, told[row.told]?.groupId]))
  return taken.map((word) => {
    const groupId = word.groupId ?? groups.get(word.deviceId)
    return groupId === undefined ? word : { ...word, groupId }
  })
}

/** Newest first: more receipts than these belong to another client, and are left alone. */
const maxLookedThrough = 10_000

const unmatchedAt = {
  sql: `select device_id, body from parked_receipts where device_id = :device and reading = 0 order by received_at desc limit ${maxLookedThrough}`,
  inputs: ['device'],
} as const

/**
 * Removes and returns the unmatched receipts that name one of these recipients. Used only for unknown
 * outcomes, which are few.
 */
export async function takeUnmatchedAbout(
  tx: Tx,
  about: readonly { deviceId: string; recipient: string }[],
): Promise<ReceiptWord[]> {
  const devices = [...new Set(about.map(({ deviceId }) => deviceId))]
  const rows = await selectEach<UnmatchedRow>(
    tx,
    unmatchedAt,
    devices.map((device) => [device]),
  )
  const wanted = new Set(
    about.map(({ deviceId, recipient }) => `${deviceId}/${recipient.slice(-tellingDigits)}`),
  )
  return takeOut(
    tx,
    rows.filter((row) => tellingEnds(wordOf(row)).some((end) => wanted.has(`${row.device_id}/${end}`))),
  )
}

/** A position in a scan of the unmatched receipts of a device. */
export interface UnmatchedPlace {
  receivedAtMs: number
  networkId: string
}

const pageSize = 2_000
const unmatchedAfter = {
  sql: `select device_id, body, network_id, received_at from parked_receipts
        where device_id = :device and reading = 0 and (received_at, network_id) > (:received, :network)
        order by received_at, network_id limit ${pageSize}`,
  inputs: ['device', 'received', 'network'],
} as const

/**
 * Deletes the receipts that name a number from one page of a device, oldest first. Returns where the next
 * page begins; null after the last one.
 */
export async function forgetUnmatchedAbout(
  tx: Tx,
  { deviceId, recipient, behind }: { deviceId: string; recipient: string; behind: UnmatchedPlace },
): Promise<UnmatchedPlace | null> {
  const rows = await selectEach<UnmatchedRow & { network_id: string; received_at: number }>(
    tx,
    unmatchedAfter,
    [[deviceId, behind.receivedAtMs, behind.networkId]],
  )
  const end = recipient.slice(-tellingDigits)
  await takeOut(
    tx,
    rows.filter((row) => tellingEnds(wordOf(row)).includes(end)),
  )
  const last = rows.length < pageSize ? undefined : rows.at(-1)
  return last === undefined ? null : { receivedAtMs: last.received_at, networkId: last.network_id }
}

type FoundRow = UnmatchedRow & { received_at: number; told: number }

interface UnmatchedRow {
  device_id: string
  body: string
}

const wordOf = ({ device_id, body }: UnmatchedRow): ReceiptWord => ({
  ...(JSON.parse(body) as Omit<ReceiptWord, 'deviceId'>),
  deviceId: device_id,
})

async function takeOut(tx: Tx, rows: readonly UnmatchedRow[]): Promise<ReceiptWord[]> {
  if (rows.length === 0) return []
  // A receipt may have been found by two of its readings.
  const words = [...new Map(rows.map((row) => [`${row.device_id}/${row.body}`, wordOf(row)])).values()]
  const readings = words.flatMap((word) =>
    readingsOf(word).map((network_id, reading) => ({ network_id, device_id: word.deviceId, reading })),
  )
  await deleteRows(tx, 'parked_receipts', unmatchedKey, readings)
  return words
}

/** A receipt that matches no message, with the time of its arrival. */
export interface UnmatchedReceipt {
  receivedAtMs: number
  word: ReceiptWord
}

/** Reads the newest unmatched receipts of a device, at most `most`, each once. */
export async function readUnmatched(
  db: Db,
  deviceId: string,
  most: number,
): Promise<{ found: UnmatchedReceipt[]; isMore: boolean }> {
  const rows = await db
    .selectFrom('parked_receipts')
    .select(['device_id', 'body', 'received_at'])
    .where('device_id', '=', deviceId)
    // In the words of the partial index.
    .where(sql<SqlBool>`reading = 0`)
    .orderBy('received_at', 'desc')
    .orderBy('network_id', 'desc')
    .limit(most + 1)
    .execute()
  const found = rows.slice(0, most).map((row) => ({ receivedAtMs: row.received_at, word: wordOf(row) }))
  return { found, isMore: rows.length > most }
}

/**
 * Returns the devices with more than `most` unmatched receipts, and the time of the newest one above that
 * limit.
 */
export async function readOverfull(db: Db, most: number): Promise<{ deviceId: string; upToMs: number }[]> {
  const { rows } = await sql<{ deviceId: string; upToMs: number | null }>`
    select d.id as "deviceId", (
      select p.received_at from parked_receipts p where p.device_id = d.id and p.reading = 0
      order by p.received_at desc limit 1 offset ${most}
    ) as "upToMs" from devices d`.execute(db)
  return rows.flatMap(({ deviceId, upToMs }) => (upToMs === null ? [] : [{ deviceId, upToMs }]))
}

const oldestOf = (most: number) =>
  ({
    sql: `select device_id, body from parked_receipts where device_id = :device and reading = 0 and received_at <= :upto order by received_at limit ${most}`,
    inputs: ['device', 'upto'],
  }) as const

/**
 * Deletes the oldest unmatched receipts of a device, under all their readings, at most `most`; returns how
 * many.
 */
export async function dropOldestUnmatched(
  tx: Tx,
  { deviceId, upToMs }: { deviceId: string; upToMs: number },
  most: number,
): Promise<number> {
  const rows = await selectEach<UnmatchedRow>(tx, oldestOf(most), [[deviceId, upToMs]])
  await takeOut(tx, rows)
  return rows.length
}

import { sql, type SqlBool } from 'kysely'
import { allDone } from '../../runtime/all-done.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { deleteRows, insertRows, selectEach } from '../../storage/seam/sets.ts'
import { readingsOf, type ReceiptWord, tellingDigits, tellingEnds } from './receipt-readings.ts'

/** An answer that comes at all comes within this: what was parked before is about another message, should its id come again. */
const sameMessageMs = 600_000

/**
 * Keeps receipts that nobody waits for (yet), under each of their readings. Of two under one id the first counts, as it would if somebody waited,
 * unless it has stood there so long that the network has used the id again.
 */
export async function park(tx: Tx, words: readonly ReceiptWord[]): Promise<void> {
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
  const outdated = await selectEach<ParkedKey>(
    tx,
    outdatedAt,
    rows.map((row) => [row.network_id, row.device_id, row.reading, row.received_at - sameMessageMs]),
  )
  await deleteRows(tx, 'parked_receipts', parkedKey, outdated)
  if (outdated.length > 0) await insertRows(tx, 'parked_receipts', rows, 'ignore')
}

const parkedKey = ['network_id', 'device_id', 'reading'] as const
type ParkedKey = Record<(typeof parkedKey)[number], string | number>

const outdatedAt = {
  sql: `select network_id, device_id, reading from parked_receipts
        where network_id = :network and device_id = :device and reading = :reading and received_at <= :before`,
  inputs: ['network', 'device', 'reading', 'before'],
} as const

/** How what stands for the id of a receipt that brings the reference of its part alone begins (src/smpp/values/receipt.ts). */
const withoutId = (reference: number, next: '/' | '0'): string => `?${reference}${next}`

/** An id that the network has told, and the attempt that it told it of. */
interface Told {
  networkId: string
  /** The `referenceOfPart` of the part that has it. */
  reference: number
  deviceId: string
  groupId?: string
  accountId: string
  mode: Mode
  messageId: string
  attemptNumber: number
}

const parkedOf = {
  sql: 'select device_id, body, received_at, :told as told from parked_receipts where network_id = :network and device_id = :device order by reading',
  inputs: ['network', 'device', 'told'],
} as const
const parkedWithoutId = {
  sql: `select device_id, body, received_at, :told as told from parked_receipts
        where network_id > :from and network_id < :behind and device_id = :device order by network_id`,
  inputs: ['from', 'behind', 'device', 'told'],
} as const
const parkedInGroup = {
  sql: `select p.device_id, p.body, p.received_at, :told as told from device_groups g cross join devices d cross join parked_receipts p
        where g.id = :group and g.shared_receipts = 1 and d.group_id = g.id and d.id <> :device and p.network_id = :network and p.device_id = d.id
        order by p.device_id, p.reading`,
  inputs: ['group', 'device', 'network', 'told'],
} as const
const startOf = {
  sql: 'select started_at, :told as told from attempts where account_id = :account and mode = :mode and message_id = :message and number = :number',
  inputs: ['account', 'mode', 'message', 'number', 'told'],
} as const

/** The wall clock may have been set back by this much between the start of an attempt and its receipt. */
const clockErrorMs = 180_000

/**
 * Takes out what was parked under these ids, each receipt once and as it came. A receipt that came before the attempt began is about another message
 * that had the id, and stays.
 */
export async function takeParked(tx: Tx, told: readonly Told[]): Promise<ReceiptWord[]> {
  const own = (
    await allDone([
      selectEach<FoundRow>(
        tx,
        parkedOf,
        told.map(({ networkId, deviceId }, i) => [networkId, deviceId, i]),
      ),
      selectEach<FoundRow>(
        tx,
        parkedWithoutId,
        // Behind the slash comes the 0.
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
    missed.length === 0 ? own : [...own, ...(await selectEach<FoundRow>(tx, parkedInGroup, missed))]
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
  // It may have been parked before its device came into the group.
  const groups = new Map(rows.map((row) => [row.device_id, told[row.told]?.groupId]))
  return taken.map((word) => {
    const groupId = word.groupId ?? groups.get(word.deviceId)
    return groupId === undefined ? word : { ...word, groupId }
  })
}

/** Newest first: more than these at once are another's, and are left where they are. */
const maxLookedThrough = 10_000

const parkedAt = {
  sql: `select device_id, body from parked_receipts where device_id = :device and reading = 0 order by received_at desc limit ${maxLookedThrough}`,
  inputs: ['device'],
} as const

/** Takes out what was parked that names one of these recipients: only asked for outcomes that are unknown, which are few. */
export async function takeParkedAbout(
  tx: Tx,
  about: readonly { deviceId: string; recipient: string }[],
): Promise<ReceiptWord[]> {
  const devices = [...new Set(about.map(({ deviceId }) => deviceId))]
  const rows = await selectEach<ParkedRow>(
    tx,
    parkedAt,
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

/** Where a look through the parked receipts of a device has come to. */
export interface ParkedPlace {
  receivedAtMs: number
  networkId: string
}

const pageSize = 2_000
const parkedBehind = {
  sql: `select device_id, body, network_id, received_at from parked_receipts
        where device_id = :device and reading = 0 and (received_at, network_id) > (:received, :network)
        order by received_at, network_id limit ${pageSize}`,
  inputs: ['device', 'received', 'network'],
} as const

/** Of a page of the receipts of a device, the oldest first, forgets those that name a number. Gives where the next page begins; null behind the last. */
export async function forgetParkedAbout(
  tx: Tx,
  { deviceId, recipient, behind }: { deviceId: string; recipient: string; behind: ParkedPlace },
): Promise<ParkedPlace | null> {
  const rows = await selectEach<ParkedRow & { network_id: string; received_at: number }>(tx, parkedBehind, [
    [deviceId, behind.receivedAtMs, behind.networkId],
  ])
  const end = recipient.slice(-tellingDigits)
  await takeOut(
    tx,
    rows.filter((row) => tellingEnds(wordOf(row)).includes(end)),
  )
  const last = rows.length < pageSize ? undefined : rows.at(-1)
  return last === undefined ? null : { receivedAtMs: last.received_at, networkId: last.network_id }
}

type FoundRow = ParkedRow & { received_at: number; told: number }

interface ParkedRow {
  device_id: string
  body: string
}

const wordOf = ({ device_id, body }: ParkedRow): ReceiptWord => ({
  ...(JSON.parse(body) as Omit<ReceiptWord, 'deviceId'>),
  deviceId: device_id,
})

async function takeOut(tx: Tx, rows: readonly ParkedRow[]): Promise<ReceiptWord[]> {
  if (rows.length === 0) return []
  // One may have been found by two of its readings.
  const words = [...new Map(rows.map((row) => [`${row.device_id}/${row.body}`, wordOf(row)])).values()]
  const readings = words.flatMap((word) =>
    readingsOf(word).map((network_id, reading) => ({ network_id, device_id: word.deviceId, reading })),
  )
  await deleteRows(tx, 'parked_receipts', parkedKey, readings)
  return words
}

/** A receipt that matches no message, and when it came. */
export interface UnmatchedReceipt {
  receivedAtMs: number
  word: ReceiptWord
}

/** The newest receipts of a device that match no message, at most `most`, each once. */
export async function readParked(
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

/** Devices that have more than `most` parked receipts, and the newest of those that are too many. */
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

/** Drops the oldest parked receipts of a device, under all their readings, at most `most`; gives how many. */
export async function dropOldestParked(
  tx: Tx,
  { deviceId, upToMs }: { deviceId: string; upToMs: number },
  most: number,
): Promise<number> {
  const rows = await selectEach<ParkedRow>(tx, oldestOf(most), [[deviceId, upToMs]])
  await takeOut(tx, rows)
  return rows.length
}

import { hourMs } from '../../runtime/clock.ts'
import { everySpelling } from '../../numbers/number-changes.ts'
import { referenceOfPart } from '../../sms/part-reference.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach, updateRows } from '../../storage/seam/sets.ts'
import { idsOf } from '../core/evidence-store.ts'
import { type GroupMembers, readMembers } from './group-members.ts'
import {
  type Awaited,
  expectedColumns,
  type ExpectedRow,
  readingsOf,
  type ReceiptWord,
  tellingEnds,
} from './receipt-readings.ts'
import { withoutLikelyCanaries } from './receipts-of-canaries.ts'
import { maxRivals, readRivals, type Rival, rivalInputs } from './rivals.ts'

/**
 * Builds the key of a part with unknown outcome: neither the network's response nor its ID is known. The part
 * waits for its receipt under this key among the expected receipts, where it is found by the end of the
 * recipient's number (docs/decisions/0013-receipts-of-lost-answers.md).
 */
export const keyOfUnknownPart = (recipient: string, attemptId: string, part: number): string =>
  `${beginOf(recipient.slice(-7))}${attemptId}/${part}`

export const isUnknownPart = (networkId: string): boolean => networkId.startsWith('?')

export const beginOf = (end: string): string => `?${end}/`
/** Sorts after every key of that number: `0` follows `/`. */
const behindOf = (end: string): string => `?${end}0`

/** Returns the range of the keys of all parts with unknown outcome that may have been sent to this number. */
export const rangeOfUnknownParts = (recipient: string): [begin: string, behind: string] => [
  beginOf(recipient.slice(-7)),
  behindOf(recipient.slice(-7)),
]

type UnknownRow = ExpectedRow & { attempt_id: string; started_at: number; heard: string | null }

const unknownOf = {
  sql: `select ${expectedColumns},
          a.id as attempt_id, a.started_at, a.network_ids as heard
        from receipts_expected r
        cross join messages m on m.account_id = r.account_id and m.mode = r.mode and m.id = r.message_id
        cross join attempts a on a.account_id = r.account_id and a.mode = r.mode and a.message_id = r.message_id and a.number = r.attempt_number
        where r.network_id > :begin and r.network_id < :behind and r.device_id = :device`,
  inputs: ['begin', 'behind', 'device'],
} as const

/**
 * Finds the part with unknown outcome that an unmatched receipt is about: by the reference that the receipt
 * returns, or because no other attempt or canary of that device to that number, near that time, can be meant. An
 * ambiguous receipt stays `unknown`; nothing is guessed.
 */
export async function findUnknownParts(
  tx: Tx,
  words: readonly ReceiptWord[],
): Promise<{ awaited: Awaited[]; unknown: ReceiptWord[] }> {
  const group = await readMembers(tx, words)
  const places = new Map(
    words.flatMap((word) =>
      group
        .of(word)
        .flatMap((device) =>
          tellingEnds(word).map(
            (end) => [`${device}/${end}`, [beginOf(end), behindOf(end), device]] as [string, string[]],
          ),
        ),
    ),
  )
  const rows = await selectEach<UnknownRow>(tx, unknownOf, [...places.values()])
  if (rows.length === 0) return { awaited: [], unknown: [...words] }

  const open = Map.groupBy(rows, (row) => row.attempt_id)
  const echoed = takeEchoed(words, open, group)
  const left = words.filter((word) => !echoed.some(({ heard }) => isSame(heard, word)))
  const unique = await takeUnique(tx, left, open, group)
  const found = [...echoed, ...unique]
  await remember(tx, found)
  return {
    awaited: found.map(({ heard, row }) => ({
      word: {
        ...heard,
        networkId: row.network_id,
        alternatives: heard.hasNoId === true ? [] : readingsOf(heard),
        deviceId: row.expected_by,
      },
      row,
    })),
    unknown: left.filter((word) => !unique.some(({ heard }) => isSame(heard, word))),
  }
}

/** A received receipt, and the part that it is about. */
interface Found {
  heard: ReceiptWord
  row: UnknownRow
}

const isSame = (one: ReceiptWord, other: ReceiptWord): boolean =>
  one.deviceId === other.deviceId && one.networkId === other.networkId

type Open = Map<string, UnknownRow[]>

/**
 * Matches receipts by their reference, which identifies attempt and part: two receipts never match one part.
 */
function takeEchoed(words: readonly ReceiptWord[], open: Open, group: GroupMembers): Found[] {
  return words.flatMap((heard) => {
    if (heard.reference === undefined) return []
    const rows = [...open.values()]
      .flat()
      .filter((row) => isMeant(heard, row, group) && referenceOf(row) === heard.reference)
    const [row] = rows
    if (row === undefined || rows.length > 1 || hasHeard(row.heard, heard)) return []
    take(open, row)
    return [{ heard, row }]
  })
}

const referenceOf = (row: UnknownRow): number =>
  referenceOfPart(row.attempt_id, Number(row.network_id.slice(row.network_id.lastIndexOf('/') + 1)))

function take(open: Open, row: UnknownRow): void {
  const rest = (open.get(row.attempt_id) ?? []).filter((other) => other !== row)
  open.set(row.attempt_id, rest)
}

/**
 * Matches receipts without a reference: those that can be about only one attempt, if that has enough parts
 * with unknown outcome.
 */
async function takeUnique(
  tx: Tx,
  words: readonly ReceiptWord[],
  open: Open,
  group: GroupMembers,
): Promise<Found[]> {
  // A reference that matches nothing here belongs to another client.
  const plain = words.filter(
    (word, i) => word.reference === undefined && words.findIndex((other) => isSame(other, word)) === i,
  )
  const about = plain.flatMap((heard) => {
    const attempts = [...open.values()].flatMap((rows) =>
      rows.slice(0, 1).filter((row) => isMeant(heard, row, group)),
    )
    return attempts.length === 1 ? [{ heard, row: attempts[0] as UnknownRow }] : []
  })
  const sure = await withoutRivals(tx, await withoutLikelyCanaries(tx, about, group), group)
  return [...Map.groupBy(sure, ({ row }) => row.attempt_id)].flatMap(([attemptId, each]) => {
    const rows = open.get(attemptId) ?? []
    return each.length > rows.length
      ? []
      : each.map(({ heard }, i) => ({ heard, row: rows[i] as UnknownRow }))
  })
}

async function withoutRivals(tx: Tx, about: readonly Found[], group: GroupMembers): Promise<Found[]> {
  const placesOf = ({ heard, row }: Found) =>
    group.of(heard).flatMap((device) =>
      everySpelling(row.recipient).map((recipient) => ({
        name: `${device}/${recipient}`,
        inputs: rivalInputs({ recipient, deviceId: device, startedAt: row.started_at }),
      })),
    )
  const inputs = new Map(about.flatMap(placesOf).map((place) => [place.name, place.inputs]))
  const rivals = await readRivals(tx, [...inputs.values()])
  const byPlace = Map.groupBy(rivals, ({ device_id, recipient }) => `${device_id}/${recipient}`)
  return about.filter((found) => {
    const { heard, row } = found
    const near = placesOf(found).flatMap(({ name }) => byPlace.get(name) ?? [])
    return (
      near.length < maxRivals &&
      near.every((rival) =>
        rival.attempt_id === row.attempt_id ? !hasHeard(rival.network_ids, heard) : !isRival(rival, heard),
      )
    )
  })
}

/**
 * Returns whether a receipt may be about this attempt instead. If the attempt has its ID, it is; an attempt
 * that already has its final report expects no other.
 */
const isRival = (rival: Rival, heard: ReceiptWord): boolean =>
  hasHeard(rival.network_ids, heard) ||
  (rival.state !== 'refused' &&
    rival.status !== 'delivered' &&
    rival.status !== 'undelivered' &&
    isInTime(heard, rival.started_at))

const hasHeard = (networkIds: string | null, heard: ReceiptWord): boolean => {
  const ids = new Set(idsOf(networkIds))
  return readingsOf(heard).some((reading) => ids.has(reading))
}

/** Matches a receipt by its numbers and its time. A receipt with two numbers also names the sender. */
function isMeant(heard: ReceiptWord, row: UnknownRow, group: GroupMembers): boolean {
  const ends = tellingEnds(heard)
  const others = ends.filter((end) => !row.recipient.endsWith(end))
  const [sender] = tellingEnds({ numbers: row.sender === null ? [] : [row.sender] })
  return (
    group.of(heard).includes(row.expected_by) &&
    others.length < ends.length &&
    (sender === undefined || others.length === 0 || others.includes(sender)) &&
    isInTime(heard, row.started_at)
  )
}

/**
 * Time zones are from 12 h behind UTC to 14 h ahead, in steps of 15 min; within them, clocks are accurate to
 * a few minutes.
 */
const quarterMs = hourMs / 4
const clockErrorMs = 180_000

function isInTime({ submittedAt, atMs }: ReceiptWord, startedAt: number): boolean {
  if (atMs < startedAt) return false
  if (submittedAt === undefined) return true
  const apartMs = submittedAt - startedAt
  const zoneMs = Math.round(apartMs / quarterMs) * quarterMs
  return zoneMs >= -12 * hourMs && zoneMs <= 14 * hourMs && Math.abs(apartMs - zoneMs) <= clockErrorMs
}

/**
 * Records the IDs that the receipts revealed: they are evidence, and a repeated receipt is recognized by
 * them.
 */
async function remember(tx: Tx, found: readonly Found[]): Promise<void> {
  const rows = [...Map.groupBy(found, ({ row }) => row.attempt_id).values()].map((each) => {
    const { account_id, mode, id, attempt_number, heard } = (each[0] as Found).row
    const told = each.filter((one) => one.heard.hasNoId !== true)
    const ids = new Set([...idsOf(heard), ...told.flatMap((one) => readingsOf(one.heard))])
    return { account_id, mode, message_id: id, number: attempt_number, network_ids: JSON.stringify([...ids]) }
  })
  await updateRows(tx, 'attempts', ['account_id', 'mode', 'message_id', 'number'], rows)
}

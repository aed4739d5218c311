import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { erasedNumber } from '../core/erased-number.ts'
import { type MessageState, stateColumnsOf } from '../core/message-store.ts'
import { readJson } from '../../storage/tables/json-columns.ts'

/** A delivery receipt for one part, as the dispatcher passes it on. */
export interface ReceiptWord {
  deviceId: string
  /**
   * The group of that device: a receipt can be about a message of another device of the group, if they share
   * their receipts (decision 45).
   */
  groupId?: string
  networkId: string
  /** The receipt has no ID; `networkId` is a substitute (decision 47). */
  hasNoId?: true
  /** Other readings of the ID, likeliest first (decision 10). */
  alternatives?: readonly string[]
  /** The ID matches in any case, if only one part matches (decision 47). */
  anyCase?: true
  /** Numbers in the receipt, one of which is the recipient's. */
  numbers?: readonly string[]
  /** The receipt names only one number, which may be the sender's. */
  isOneSided?: true
  /** The `referenceOfPart` that the receipt returns. */
  reference?: number
  /** When the network accepted the part, in the time zone of its clock. */
  submittedAt?: number
  /**
   * The receipt covers this many parts, or the whole message, instead of only its own part: some networks
   * send one receipt for a long message.
   */
  covers?: number | 'all'
  result: 'delivered' | 'undelivered' | 'lost'
  code: string | null
  networkCode: string | null
  /** Time of delivery, if the device reports it by a clock in a known time zone. */
  deliveredAt?: number
  atMs: number
}

export type ExpectedRow = MessageState & {
  network_id: string
  expected_by: string
  wire_parts: number
  /** Null while the receipt is expected. */
  expected_until: number | null
  attempt_number: number
}

/** Identifies a part of one attempt alone: an ID may have moved to another one since. */
export const partKey = [
  'network_id',
  'device_id',
  'account_id',
  'mode',
  'message_id',
  'attempt_number',
] as const

/** Lists the columns of an `ExpectedRow`, of `messages m` and `receipts_expected r`. */
export const expectedColumns = `${stateColumnsOf('m')}, r.network_id, r.device_id as expected_by, r.wire_parts, r.closed_at as expected_until, r.attempt_number`

const expected = {
  sql: `select ${expectedColumns}
        from receipts_expected r cross join messages m on m.account_id = r.account_id and m.mode = r.mode and m.id = r.message_id
        where r.network_id = :network and r.device_id = :device`,
  inputs: ['network', 'device'],
} as const

/** A receipt and the message that expects it; `word.networkId` is the ID under which it is expected. */
export interface Awaited {
  word: ReceiptWord
  row: ExpectedRow
}

/**
 * Finds the messages that expect receipts, by the ID as received, and otherwise by its other readings. Those
 * are looked up only if the first one matches nothing.
 */
export async function findAwaited(
  tx: Tx,
  words: readonly ReceiptWord[],
): Promise<{ awaited: Awaited[]; unknown: ReceiptWord[] }> {
  const rows = await readExpected(tx, words)
  const awaited: Awaited[] = []
  const missing: ReceiptWord[] = []
  for (const word of words) {
    const row = rows.get(nameOf(word))
    if (row !== undefined && concerns(word, row, 'its id')) awaited.push({ word, row })
    else missing.push(word)
  }
  const others = missing.flatMap(otherReadings)
  const found = others.length === 0 ? rows : await readExpected(tx, others)
  const sendersOf = await readOwnSenders(tx, missing, rows)
  const unknown = missing.filter((word) => {
    const readings = otherReadings(word).flatMap((reading) => {
      const row = found.get(nameOf(reading))
      return row === undefined ? [] : [{ word: reading, row }]
    })
    const own = rows.get(nameOf(word))
    const match =
      readings.find((each) => concerns(each.word, each.row, 'another reading')) ??
      (own !== undefined && readings.length === 0 && namesSender(word, sendersOf(own))
        ? { word, row: own }
        : undefined)
    if (match !== undefined) awaited.push(match)
    return match === undefined
  })
  return { awaited, unknown }
}

/**
 * Some networks omit the recipient, and the one number in the receipt is the sender's: then its ID decides,
 * if it can be read in only one way.
 */
function namesSender(word: ReceiptWord, senders: readonly string[]): boolean {
  const ends = tellingEnds({ numbers: senders })
  return word.isOneSided === true && tellingEnds(word).some((end) => ends.includes(end))
}

/**
 * Reads the numbers that messages may have been sent from: for a message without a sender, those that its
 * device was configured with, of which the network used one.
 */
async function readOwnSenders(
  tx: Tx,
  words: readonly ReceiptWord[],
  rows: ReadonlyMap<string, ExpectedRow>,
): Promise<(row: ExpectedRow) => readonly string[]> {
  const without = words.flatMap((word) => {
    const row = word.isOneSided === true ? rows.get(nameOf(word)) : undefined
    return row?.sender === null ? [row.expected_by] : []
  })
  const devices =
    without.length === 0
      ? []
      : await tx
          .selectFrom('devices')
          .select(['id', 'senders'])
          .where('id', 'in', [...new Set(without)])
          .execute()
  const given = new Map(devices.map(({ id, senders }) => [id, readJson(senders)]))
  return ({ sender, expected_by }) => (sender === null ? (given.get(expected_by) ?? []) : [sender])
}

const expectedInGroup = {
  sql: `select ${expectedColumns}
        from device_groups g cross join devices d
        cross join receipts_expected r cross join messages m on m.account_id = r.account_id and m.mode = r.mode and m.id = r.message_id
        where g.id = :group and g.shared_receipts = 1 and d.group_id = g.id and d.id <> :device
          and r.network_id = :network and r.device_id = d.id`,
  inputs: ['group', 'device', 'network'],
} as const

/**
 * Finds the messages that expect receipts under another device of the group, if none does under the reporting
 * device. IDs are unique only for each host of a carrier: the recipient's number decides, and an ambiguous
 * receipt stays unmatched.
 */
export async function findInGroup(
  tx: Tx,
  words: readonly ReceiptWord[],
): Promise<{ awaited: Awaited[]; unknown: ReceiptWord[] }> {
  const inputs = words.flatMap((word) =>
    word.groupId === undefined
      ? []
      : readingsOf(word).map((id) => [word.groupId as string, word.deviceId, id]),
  )
  if (inputs.length === 0) return { awaited: [], unknown: [...words] }
  const rows = await selectEach<ExpectedRow>(tx, expectedInGroup, inputs)
  const byId = Map.groupBy(rows, (row) => row.network_id)
  const awaited: Awaited[] = []
  const unknown = words.filter((word) => {
    const readings = word.groupId === undefined ? [] : readingsOf(word)
    for (const networkId of readings) {
      const meant = (byId.get(networkId) ?? []).filter((row) => concerns(word, row, 'another device'))
      const [row] = meant
      if (row === undefined) continue
      if (meant.length > 1) return true
      awaited.push({ word: { ...word, networkId, deviceId: row.expected_by }, row })
      return false
    }
    return true
  })
  return { awaited, unknown }
}

/** Returns the IDs that can identify a receipt, likeliest first. */
export const readingsOf = ({
  networkId,
  alternatives = [],
}: Pick<ReceiptWord, 'networkId' | 'alternatives'>): string[] => [networkId, ...alternatives]

const otherReadings = ({ alternatives = [], ...word }: ReceiptWord): ReceiptWord[] =>
  alternatives.map((networkId) => ({ ...word, networkId }))

async function readExpected(
  tx: Tx,
  words: readonly Pick<ReceiptWord, 'networkId' | 'deviceId'>[],
): Promise<Map<string, ExpectedRow>> {
  const inputs = words.map((word) => [word.networkId, word.deviceId])
  const rows = await selectEach<ExpectedRow>(tx, expected, inputs)
  return new Map(rows.map((row) => [`${row.network_id}/${row.expected_by}`, row]))
}

const nameOf = (word: ReceiptWord): string => `${word.networkId}/${word.deviceId}`

/**
 * Networks write numbers with, without or with another prefix, so the last digits are compared. Shorter
 * numbers belong to senders or services.
 */
export const tellingDigits = 7

/** Returns the ends of the numbers in a receipt, by which a recipient is recognized. */
export const tellingEnds = ({ numbers = [] }: Pick<ReceiptWord, 'numbers'>): string[] => {
  const digits = numbers.map((number) => number.replaceAll(/\D/g, ''))
  return digits
    .filter((number) => number.length >= tellingDigits)
    .map((number) => number.slice(-tellingDigits))
}

/**
 * Returns whether a receipt may be about this message. Not if it has numbers, none of which is the
 * recipient's: networks reuse IDs. Under another device, a message of a stranger can have the same ID, so the
 * recipient must match. An erased message is recognized only by its own ID.
 */
function concerns(
  word: ReceiptWord,
  { recipient }: ExpectedRow,
  foundBy: 'its id' | 'another reading' | 'another device',
): boolean {
  if (recipient === erasedNumber) return foundBy === 'its id'
  const ends = tellingEnds(word)
  if (ends.length === 0) return foundBy !== 'another device'
  return ends.some((end) => recipient.endsWith(end))
}

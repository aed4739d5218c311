import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { erasedNumber } from '../core/erased-number.ts'
import { nameOfTry, readLastSubmitted } from './last-submitted.ts'
import { type MessageState, stateColumnsOf } from '../core/message-store.ts'

/** The network's word on one wire part, as the dispatcher hands it on. */
export interface ReceiptWord {
  deviceId: string
  /** The group of that device: what the others of it have sent may be meant, too, where they share their receipts (decision 45). */
  groupId?: string
  networkId: string
  /** The network named no id, and `networkId` stands for one (decision 47). */
  hasNoId?: true
  /** What else the id may read as, likeliest first (decision 10). */
  alternatives?: readonly string[]
  /** The id counts whatever its case, if that can be one part alone (decision 47). */
  anyCase?: true
  /** Numbers one of which is the recipient's, where the network names any. */
  numbers?: readonly string[]
  /** It named the number of one end alone, which may be the sender's. */
  isOneSided?: true
  /** The `referenceOfPart` that came back with it. */
  reference?: number
  /** When the network took the part, by a clock of its own time zone. */
  submittedAt?: number
  /** It speaks of so many wire parts, or of all of the message, and not of its own part alone: some networks send one receipt for a long message. */
  covers?: number | 'all'
  result: 'delivered' | 'undelivered' | 'lost'
  code: string | null
  networkCode: string | null
  /** When it arrived, where the device tells by a clock that is known. */
  deliveredAt?: number
  atMs: number
}

export type ExpectedRow = MessageState & {
  network_id: string
  expected_by: string
  wire_parts: number
  expected_sent_at: number
  /** Null while it is waited for. */
  expected_until: number | null
  attempt_number: number
  /** A later try was submitted, or is open: that this one did not arrive says nothing of the message. */
  is_superseded?: true
}

const expected = {
  sql: `select ${stateColumnsOf('m')}, r.network_id, r.device_id as expected_by, r.wire_parts, r.sent_at as expected_sent_at, r.closed_at as expected_until, r.attempt_number
        from receipts_expected r cross join messages m on m.account_id = r.account_id and m.mode = r.mode and m.id = r.message_id
        where r.network_id = :network and r.device_id = :device`,
  inputs: ['network', 'device'],
} as const

/** A receipt and the message that waits for it; `word.networkId` is the id under which it does. */
export interface Awaited {
  word: ReceiptWord
  row: ExpectedRow
}

/**
 * Finds who waits for receipts, by the id as it came and else by what it may also read as. Other readings cost a look only where the first finds nobody.
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

/** Some networks leave the recipient out, and the one number that they name is the sender's: then its id tells, if it reads as that of one part alone. */
function namesSender(word: ReceiptWord, senders: readonly string[]): boolean {
  const ends = tellingEnds({ numbers: senders })
  return word.isOneSided === true && tellingEnds(word).some((end) => ends.includes(end))
}

/** From which numbers messages may have gone: of one without a sender any of those that its device was given, of which the network took its own. */
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
  const given = new Map(devices.map(({ id, senders }) => [id, JSON.parse(senders) as string[]]))
  return ({ sender, expected_by }) => (sender === null ? (given.get(expected_by) ?? []) : [sender])
}

const expectedInGroup = {
  sql: `select ${stateColumnsOf('m')}, r.network_id, r.device_id as expected_by, r.wire_parts, r.sent_at as expected_sent_at, r.closed_at as expected_until, r.attempt_number
        from device_groups g cross join devices d
        cross join receipts_expected r cross join messages m on m.account_id = r.account_id and m.mode = r.mode and m.id = r.message_id
        where g.id = :group and g.shared_receipts = 1 and d.group_id = g.id and d.id <> :device
          and r.network_id = :network and r.device_id = d.id`,
  inputs: ['group', 'device', 'network'],
} as const

/**
 * Finds who waits for receipts under another device of the group of the one that told them, once nobody does under that one. Ids are unique for each host of a
 * carrier alone: the recipient's number decides, and what it leaves open is nobody's.
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
  const rows = await markSuperseded(tx, await selectEach<ExpectedRow>(tx, expectedInGroup, inputs))
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

/** A part of an attempt that a receipt may still come of. */
export interface AwaitedPart {
  network_id: string
  device_id: string
  message_id: string
  attempt_number: number
}

/** Tells the parts of all tries apart: an id may be another message's since, or another try's. */
export const nameOfPart = ({ network_id, device_id, message_id, attempt_number }: AwaitedPart): string =>
  `${network_id}/${device_id}/${nameOfTry(message_id, attempt_number)}`

const partsOf = `select network_id, device_id, message_id, attempt_number from receipts_expected
  where account_id = :account and mode = :mode and sent_at = :sent and message_id = :message and attempt_number = :attempt`

/** All parts of an attempt that are waited for, or were until the wait was closed. Each half has an index of its own. */
export const awaitedPartsOf = {
  sql: `${partsOf} and closed_at is null union all ${partsOf} and closed_at is not null`,
  inputs: ['account', 'mode', 'sent', 'message', 'attempt'],
} as const

/** Marks the tries behind which another was submitted, or is open. One statement more, for receipts of earlier tries alone. */
export async function markSuperseded<R extends ExpectedRow>(
  tx: Tx,
  rows: readonly R[],
): Promise<readonly R[]> {
  const earlier = rows.filter((row) => row.attempt_number !== row.attempts)
  if (earlier.length === 0) return rows
  const last = await readLastSubmitted(
    tx,
    earlier.map((row) => ({
      accountId: row.account_id,
      mode: row.mode,
      messageId: row.id,
      attemptNumber: row.attempt_number,
    })),
  )
  const superseded = new Set(earlier.filter((row) => !last.has(nameOfTry(row.id, row.attempt_number))))
  return rows.map((row) => (superseded.has(row) ? { ...row, is_superseded: true } : row))
}

/**
 * A word that ends nothing now is left for the answer to that try, which may still come and bring the message back to it (decision 35): spent before, it
 * would be missed then. So is a bad one while a later try waits, is open or of unknown end, and one that nothing will arrive while nobody knows if it was taken.
 * One of a try by which its message was sent, before the next turned out to be taken too, leaves it waiting: else nobody would ever end that wait.
 */
export const isUntimely = ({ result }: ReceiptWord, row: ExpectedRow): boolean => {
  if (result === 'delivered') return false
  if (row.status === 'queued') return true
  const isUnknown = row.status === 'unconfirmed' && row.sent_at === null
  if (row.is_superseded === true)
    return row.status === 'sending' || isUnknown || (row.status === 'sent' && row.expected_until === null)
  return isUnknown && result === 'lost'
}

/** The ids that a receipt may be known by, likeliest first. */
export const readingsOf = ({
  networkId,
  alternatives = [],
}: Pick<ReceiptWord, 'networkId' | 'alternatives'>): string[] => [networkId, ...alternatives]

const otherReadings = ({ alternatives = [], ...word }: ReceiptWord): ReceiptWord[] =>
  alternatives.map((networkId) => ({ ...word, networkId }))

async function readExpected(tx: Tx, words: readonly ReceiptWord[]): Promise<Map<string, ExpectedRow>> {
  const inputs = words.map((word) => [word.networkId, word.deviceId])
  const rows = await markSuperseded(tx, await selectEach<ExpectedRow>(tx, expected, inputs))
  return new Map(rows.map((row) => [`${row.network_id}/${row.expected_by}`, row]))
}

const nameOf = (word: ReceiptWord): string => `${word.networkId}/${word.deviceId}`

/** Networks write a number with, without or with another prefix: its end tells. Shorter ones are senders' or services'. */
export const tellingDigits = 7

/** The ends of the numbers that a receipt names, by which a recipient is known. */
export const tellingEnds = ({ numbers = [] }: Pick<ReceiptWord, 'numbers'>): string[] => {
  const digits = numbers.map((number) => number.replaceAll(/\D/g, ''))
  return digits
    .filter((number) => number.length >= tellingDigits)
    .map((number) => number.slice(-tellingDigits))
}

/**
 * Whether a receipt may be about this message: not when it names numbers, and none of them is the recipient's (networks use ids again). What waits under
 * another device may be a stranger's with the same id, so that only the recipient tells; of a message that was erased only its own id does.
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

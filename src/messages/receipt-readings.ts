import type { Tx } from '../storage/dialect.ts'
import { deleteRows, insertRows, selectEach } from '../storage/sets.ts'
import { type MessageState, stateColumnsOf } from './message-store.ts'

/** The network's word on one wire part, as the dispatcher hands it on. */
export interface ReceiptWord {
  deviceId: string
  networkId: string
  /** What else the id may read as, likeliest first (decision 10). */
  alternatives?: readonly string[]
  /** Numbers one of which is the recipient's, where the network names any. */
  numbers?: readonly string[]
  /** The `referenceOfPart` that came back with it. */
  reference?: number
  /** When the network took the part, by a clock of its own time zone. */
  submittedAt?: number
  result: 'delivered' | 'undelivered' | 'lost'
  code: string | null
  networkCode: string | null
  atMs: number
}

export type ExpectedRow = MessageState & {
  network_id: string
  expected_by: string
  wire_parts: number
  expected_sent_at: number
  attempt_number: number
}

const expected = {
  sql: `select ${stateColumnsOf('m')}, r.network_id, r.device_id as expected_by, r.wire_parts, r.sent_at as expected_sent_at, r.attempt_number
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
 * Finds who waits for receipts, by the id as it came and else by what it may also read as. A receipt that names other numbers than the
 * message's recipient is not about it: networks use ids again. Other readings cost a look only where the first finds nobody.
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
    if (row !== undefined && concerns(word, row)) awaited.push({ word, row })
    else missing.push(word)
  }
  const others = missing.flatMap(otherReadings)
  if (others.length === 0) return { awaited, unknown: missing }

  const found = await readExpected(tx, others)
  const unknown = missing.filter((word) => {
    const readings = otherReadings(word).map((reading) => ({
      word: reading,
      row: found.get(nameOf(reading)),
    }))
    const match = readings.find((each): each is Awaited => each.row !== undefined && concerns(word, each.row))
    if (match !== undefined) awaited.push(match)
    return match === undefined
  })
  return { awaited, unknown }
}

/** Keeps receipts that nobody waits for (yet), under each of their readings. */
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
  await insertRows(tx, 'parked_receipts', rows, 'ignore')
}

const parkedOf = {
  sql: 'select device_id, body from parked_receipts where network_id = :network and device_id = :device order by reading',
  inputs: ['network', 'device'],
} as const

/** Takes out what was parked under these ids, each receipt once and as it came. */
export async function takeParked(
  tx: Tx,
  ids: readonly { networkId: string; deviceId: string }[],
): Promise<ReceiptWord[]> {
  const rows = await selectEach<ParkedRow>(
    tx,
    parkedOf,
    ids.map(({ networkId, deviceId }) => [networkId, deviceId]),
  )
  return takeOut(tx, rows)
}

/** Newest first: more than these at once are another's, and are left where they are. */
const mostLookedThrough = 10_000

const parkedAt = {
  sql: `select device_id, body from parked_receipts where device_id = :device and reading = 0 order by received_at desc limit ${mostLookedThrough}`,
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
  await deleteRows(tx, 'parked_receipts', ['network_id', 'device_id', 'reading'], readings)
  return words
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
  const rows = await selectEach<ExpectedRow>(tx, expected, inputs)
  return new Map(rows.map((row) => [`${row.network_id}/${row.expected_by}`, row]))
}

const nameOf = (word: ReceiptWord): string => `${word.networkId}/${word.deviceId}`

/** Networks write a number with, without or with another prefix: its end tells. Shorter ones are senders' or services'. */
const tellingDigits = 7

/** The ends of the numbers that a receipt names, by which a recipient is known. */
export const tellingEnds = ({ numbers = [] }: Pick<ReceiptWord, 'numbers'>): string[] => {
  const digits = numbers.map((number) => number.replaceAll(/\D/g, ''))
  return digits
    .filter((number) => number.length >= tellingDigits)
    .map((number) => number.slice(-tellingDigits))
}

/** Whether a receipt may be about this message: not when it names numbers, and none of them is the recipient's. */
function concerns(word: ReceiptWord, { recipient }: ExpectedRow): boolean {
  const ends = tellingEnds(word)
  return ends.length === 0 || ends.some((end) => recipient.endsWith(end))
}

import { dayMs } from '../../runtime/clock.ts'
import { lowestIdAt } from '../../runtime/ids.ts'
import { everySpelling } from '../../numbers/number-changes.ts'
import { referenceOfPart } from '../../sms/part-reference.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { type Awaited, expectedColumns, type ExpectedRow, type ReceiptWord } from './receipt-readings.ts'

type OpenRow = ExpectedRow & { attempt_id: string; told: string | null; started_at: number }

/**
 * A receipt arrives within this time of the creation of its message: up to 30 days scheduled, 3 of validity,
 * 3 of waiting for the receipt.
 */
const longestWaitMs = 36 * dayMs
/** With more open parts to one number, a receipt is never unambiguous. */
const maxParts = 200

const openIn = (state: string): string => `
  select ${expectedColumns},
    a.id as attempt_id, a.network_ids as told, a.started_at
  from wallets w
  cross join messages m on m.account_id = w.account_id and m.mode = w.mode
  cross join receipts_expected r on r.account_id = m.account_id and r.mode = m.mode and r.sent_at = m.sent_at and r.message_id = m.id
  cross join attempts a on a.account_id = r.account_id and a.mode = r.mode and a.message_id = r.message_id and a.number = r.attempt_number
  where m.recipient = :recipient and m.id >= :oldest and r.device_id = :device and ${state}`

/**
 * Reads wallet by wallet through the index, because accounts can share a device. A `sent` message without an
 * expected receipt belongs to a link with receipts only for failures (`receipts=failures`). Each half has an
 * index of its own.
 */
const openTo = {
  sql: `${openIn('r.closed_at is null')} union all ${openIn(`r.closed_at is not null and m.status = 'sent'`)} limit ${maxParts}`,
  inputs: ['recipient', 'oldest', 'device'],
} as const

/**
 * Finds the parts of receipts without an ID, or with an ID in another case than in the response: among the
 * parts that wait for a receipt of that device, or for one of a failure, and were sent to a number that the
 * receipt names. Matches by the returned reference, or by the ID ignoring case. A receipt that matches two
 * parts stays `unknown`.
 */
export async function findOpenParts(
  tx: Tx,
  words: readonly ReceiptWord[],
): Promise<{ awaited: Awaited[]; unknown: readonly ReceiptWord[] }> {
  const sought = words.filter((word) => word.hasNoId === true || word.anyCase === true)
  const places = new Map(
    sought.flatMap((word) =>
      recipientsOf(word).map((recipient) => [
        `${word.deviceId}/${recipient}`,
        [recipient, lowestIdAt('msg', word.atMs - longestWaitMs), word.deviceId],
      ]),
    ),
  )
  if (places.size === 0) return { awaited: [], unknown: words }
  const rows = await selectEach<OpenRow>(tx, openTo, [...places.values()])
  const byPlace = Map.groupBy(rows, ({ expected_by, recipient }) => `${expected_by}/${recipient}`)
  const awaited = sought.flatMap((word) => {
    const near = recipientsOf(word).map((recipient) => byPlace.get(`${word.deviceId}/${recipient}`) ?? [])
    const fitting = near.flat().filter((row) => fits(word, row))
    const [row] = fitting
    const isSure = fitting.length === 1 && near.every(({ length }) => length < maxParts)
    return isSure && row !== undefined ? [{ heard: word, row }] : []
  })
  const found = new Set(awaited.map(({ heard }) => heard))
  return {
    awaited: awaited.map(({ heard, row }) => ({ word: { ...heard, networkId: row.network_id }, row })),
    unknown: found.size === 0 ? words : words.filter((word) => !found.has(word)),
  }
}

/** Returns the numbers of a receipt that can be recipients. */
const recipientsOf = ({ numbers = [] }: ReceiptWord): string[] => [
  ...new Set(
    numbers.flatMap((number) => {
      const [, digits] = /^(?:\+|00)?([1-9]\d{6,14})$/.exec(number) ?? []
      return digits === undefined ? [] : everySpelling(`+${digits}`)
    }),
  ),
]

function fits(word: ReceiptWord, row: OpenRow): boolean {
  if (word.hasNoId !== true) return row.network_id.toLowerCase() === word.networkId.toLowerCase()
  const told = row.told === null ? [] : (JSON.parse(row.told) as string[])
  // If a part has no ID, the index of an ID is not the number of its part.
  const part = told.length === row.wire_parts ? told.indexOf(row.network_id) : -1
  return (
    part !== -1 && referenceOfPart(row.attempt_id, part) === word.reference && word.atMs >= row.started_at
  )
}

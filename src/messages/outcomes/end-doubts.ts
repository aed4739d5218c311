import type { Tx } from '../../storage/seam/dialect.ts'
import type { AttemptState, Mode } from '../../storage/tables/schema.ts'
import { deleteRows, selectEach } from '../../storage/seam/sets.ts'
import { beginOf, idsOf } from './doubtful-parts.ts'
import { keyOfTry } from './last-submitted.ts'
import { nameOfPart } from './receipt-readings.ts'

const placesOf = {
  sql: `select r.network_id, r.device_id from receipts_expected r where r.network_id > :begin and r.network_id < :behind and r.device_id = :device`,
  inputs: ['begin', 'behind', 'device'],
} as const
const heardOf = {
  sql: 'select device_id, message_id, number, state, network_ids from attempts where account_id = :account and mode = :mode and message_id = :message and number = :number',
  inputs: ['account', 'mode', 'message', 'number'],
} as const

/** What was known before late acks arrived. */
export interface KnownBefore {
  /** The `nameOfPart` of each part whose ID was known. */
  heard: ReadonlySet<string>
  /** The `nameOfTry` of each attempt that is already accepted: its ack is a repeat. */
  taken: ReadonlySet<string>
}

/** Resolves the unknown outcome of attempts that got a late ack. Returns what was known of them before. */
export async function endDoubts(
  tx: Tx,
  late: readonly Late[],
  messages: ReadonlyMap<string, { recipient: string }>,
): Promise<KnownBefore> {
  if (late.length === 0) return { heard: new Set(), taken: new Set() }
  const ranges = late.flatMap(({ inDoubt, messageId, deviceId }) => {
    const recipient = messages.get(messageId)?.recipient
    if (inDoubt === undefined || recipient === undefined) return []
    const begin = `${beginOf(recipient.slice(-7))}${inDoubt.attemptId}`
    return [[`${begin}/`, `${begin}0`, deviceId]]
  })
  const places = await selectEach<{ network_id: string; device_id: string }>(tx, placesOf, ranges)
  await deleteRows(tx, 'receipts_expected', ['network_id', 'device_id'], places)
  const rows = await selectEach<{
    device_id: string
    message_id: string
    number: number
    state: AttemptState
    network_ids: string | null
  }>(
    tx,
    heardOf,
    late.map((each) => [each.accountId, each.mode, each.messageId, each.attemptNumber]),
  )
  const heard = rows.flatMap(({ device_id, message_id, number, network_ids }) =>
    idsOf(network_ids).map((network_id) =>
      nameOfPart({ network_id, device_id, message_id, attempt_number: number }),
    ),
  )
  const taken = rows.filter(({ state }) => state === 'accepted')
  return {
    heard: new Set(heard),
    taken: new Set(taken.map(({ message_id, number }) => keyOfTry(message_id, number))),
  }
}

interface Late {
  accountId: string
  mode: Mode
  messageId: string
  attemptNumber: number
  deviceId: string
  inDoubt?: { attemptId: string }
}

import { dayMs } from '../../runtime/clock.ts'
import { lowestIdAt } from '../../runtime/ids.ts'
import type { Db, Tx, Value } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { AttemptState, MessageStatus } from '../../storage/tables/schema.ts'

/** An attempt to the same number over the same device: what the network reports may be about it instead. */
export interface Rival {
  device_id: string
  recipient: string
  attempt_id: string
  state: AttemptState
  network_ids: string | null
  started_at: number
  status: MessageStatus
}

/**
 * A message is submitted within this time of its creation: up to 30 days scheduled, 3 of validity, and the
 * error of a clock.
 */
const longestWaitMs = 34 * dayMs
/** With more attempts at one number, a report is never unambiguous. */
export const maxRivals = 1_000

/** Reads wallet by wallet through the index, because accounts can share a device. */
const rivalsOf = {
  sql: `select a.device_id, m.recipient, a.id as attempt_id, a.state, a.network_ids, a.started_at, m.status
        from wallets w
        cross join messages m on m.account_id = w.account_id and m.mode = w.mode
        cross join attempts a on a.account_id = m.account_id and a.mode = m.mode and a.message_id = m.id
        where m.recipient = :recipient and m.id >= :oldest and a.device_id = :device
        limit ${maxRivals}`,
  inputs: ['recipient', 'oldest', 'device'],
} as const

/** Returns where the rivals of an attempt that began then are, for `readRivals`. */
export const rivalInputs = ({
  recipient,
  deviceId,
  startedAt,
}: {
  recipient: string
  deviceId: string
  startedAt: number
}): Value[] => [recipient, lowestIdAt('msg', startedAt - longestWaitMs), deviceId]

/** Reads the attempts at each of these places, at most `maxRivals`. */
export const readRivals = (db: Db | Tx, places: readonly Value[][]): Promise<Rival[]> =>
  selectEach<Rival>(db, rivalsOf, places)

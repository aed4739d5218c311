import type { Db, SelectEach } from '../storage/seam/dialect.ts'
import { selectEach } from '../storage/seam/sets.ts'
import { isOfOpenAccount } from './active-accounts.ts'
import { alertKey, type AlertRule, type Condition } from './condition.ts'
import { idsAmong, subjectsOf } from './resolved-subjects.ts'
import { type JsonText, readJson } from '../storage/tables/json-columns.ts'
import { formatInstant } from './alert-texts.ts'

/**
 * Reasons of a bound link that only receives, with status `offline`: nothing can be sent over it, by its own
 * settings. While it is not bound it has other reasons as well.
 */
const receivesOnly = JSON.stringify(['receives_only'])

/**
 * Devices for live messages that were offline for a while; not those that a user disabled. An outage is an
 * unbroken run of offline states: its reasons change from attempt to attempt, and a node that has just taken
 * over a link reports `pending` until its first attempt has failed. So an alert lasts until the device is
 * reachable, or no longer needed.
 */
export const offlineDevices = (afterMs: number): AlertRule => ({
  kinds: ['device_offline'],
  everyMs: 30_000,
  async find(db, nowMs, open) {
    const rows = await db
      .selectFrom('device_states')
      .innerJoin('devices', 'devices.id', 'device_states.device_id')
      .select([
        'devices.id',
        'devices.account_id',
        'devices.name',
        'devices.kind',
        'status',
        'reasons',
        'from_at',
      ])
      .where('until_at', 'is', null)
      .where('status', 'in', ['offline', 'pending'])
      .where('reasons', '<>', receivesOnly)
      .where('devices.state', '=', 'enabled')
      .where('devices.mode', '=', 'live')
      .where(isOfOpenAccount('devices.account_id'))
      .execute()
    const isOpen = ({ id }: OfflineRow): boolean =>
      open.has(alertKey({ kind: 'device_offline', subject: id }))
    const begins = await readBegins(
      db,
      rows.filter((row) => row.status === 'offline' && !isOpen(row)),
    )
    return rows.flatMap((row) => {
      if (isOpen(row)) return [conditionOf(row, row.from_at)]
      const begin = begins.get(row.id)
      // An outage that began further in the future was stored while the clock was ahead. It is reported now,
      // not when that time comes.
      if (begin === undefined || Math.abs(nowMs - begin) < afterMs) return []
      return [conditionOf(row, Math.min(nowMs, begin))]
    })
  },
  async findRecovered(db, ended) {
    const rows = await db
      .selectFrom('device_states')
      .innerJoin('devices', 'devices.id', 'device_states.device_id')
      .select('devices.id')
      .where('until_at', 'is', null)
      .where(({ eb, or }) =>
        or([eb('status', 'in', ['online', 'degraded']), eb('reasons', '=', receivesOnly)]),
      )
      .where('devices.state', '=', 'enabled')
      .where(isOfOpenAccount('devices.account_id'))
      .where('devices.id', 'in', subjectsOf(ended))
      .execute()
    return idsAmong(ended, rows)
  },
})

interface OfflineRow {
  id: string
  account_id: string | null
  name: string
  kind: string
  reasons: JsonText<readonly string[]>
}

function conditionOf(row: OfflineRow, sinceMs: number): Condition {
  const reasons = readJson(row.reasons).join(', ')
  return {
    kind: 'device_offline',
    subject: row.id,
    accountId: row.account_id,
    mode: 'live',
    name: row.name,
    said: `The device (${row.kind}, ${row.id}) has been offline since ${formatInstant(sinceMs)}${reasons === '' ? '' : `: ${reasons}`}. Messages that only it can send wait until they expire.`,
  }
}

/**
 * The first offline state since the device last had another one. A device that waits for its first contact
 * has no outage yet.
 */
const firstOffline: SelectEach = {
  sql: `select device_id, from_at from device_states where device_id = :device and status = 'offline' and reasons <> '${receivesOnly}'
    and from_at > coalesce((select from_at from device_states where device_id = :device
      and (status in ('online', 'degraded', 'disabled') or reasons = '${receivesOnly}') order by from_at desc limit 1), -1)
    order by from_at limit 1`,
  inputs: ['device'],
}

/**
 * Returns when the outages of offline devices began. Reads only the states of the outage, and is called only
 * until its alert has begun.
 */
async function readBegins(db: Db, offline: readonly OfflineRow[]): Promise<Map<string, number>> {
  const rows = await selectEach<{ device_id: string; from_at: number }>(
    db,
    firstOffline,
    offline.map(({ id }) => [id]),
  )
  return new Map(rows.map((row) => [row.device_id, row.from_at]))
}

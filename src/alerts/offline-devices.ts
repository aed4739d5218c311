import type { Db, SelectEach } from '../storage/seam/dialect.ts'
import { selectEach } from '../storage/seam/sets.ts'
import { isOfOpenAccount } from './active-accounts.ts'
import { alertKey, type AlertRule, type Condition } from './condition.ts'
import { idsAmong, subjectsOf } from './resolved-subjects.ts'
import { formatInstant } from './format-instant.ts'

/**
 * What a bound link says that only receives, beside `offline`: nothing can be sent over it, as it was set up. While it is not bound other reasons stand
 * there too.
 */
const receivesOnly = JSON.stringify(['receives_only'])

/**
 * Devices for live messages that nothing was heard of for a while; what a person has disabled is no news. An outage is an unbroken run of standings: its
 * reasons change from try to try, and a server that has just taken a link over says `pending` until its first try has failed. So an alert lasts until
 * the device stands well, or is wanted no more.
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
    const lasts = ({ id }: AwayRow): boolean => open.has(alertKey({ kind: 'device_offline', subject: id }))
    const begins = await readBegins(
      db,
      rows.filter((row) => row.status === 'offline' && !lasts(row)),
    )
    return rows.flatMap((row) => {
      if (lasts(row)) return [conditionOf(row, row.from_at)]
      const begin = begins.get(row.id)
      // What began further ahead than that was written behind a clock that was ahead: it is told now, and not when the clock is there again.
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

interface AwayRow {
  id: string
  account_id: string | null
  name: string
  kind: string
  reasons: string
}

function conditionOf(row: AwayRow, sinceMs: number): Condition {
  const reasons = (JSON.parse(row.reasons) as string[]).join(', ')
  return {
    kind: 'device_offline',
    subject: row.id,
    accountId: row.account_id,
    mode: 'live',
    name: row.name,
    said: `The device (${row.kind}, ${row.id}) is offline since ${formatInstant(sinceMs)}${reasons === '' ? '' : `: ${reasons}`}. Messages that only it can send wait until they expire.`,
  }
}

/** Its first standing as offline since it last stood otherwise: one that waits to be heard of for the first time has no outage yet. */
const firstOffline: SelectEach = {
  sql: `select device_id, from_at from device_states where device_id = :device and status = 'offline' and reasons <> '${receivesOnly}'
    and from_at > coalesce((select from_at from device_states where device_id = :device
      and (status in ('online', 'degraded', 'disabled') or reasons = '${receivesOnly}') order by from_at desc limit 1), -1)
    order by from_at limit 1`,
  inputs: ['device'],
}

/** When devices that are offline began to be. Walks over the outage alone, and is asked only until its alert has begun. */
async function readBegins(db: Db, away: readonly AwayRow[]): Promise<Map<string, number>> {
  const rows = await selectEach<{ device_id: string; from_at: number }>(
    db,
    firstOffline,
    away.map(({ id }) => [id]),
  )
  return new Map(rows.map((row) => [row.device_id, row.from_at]))
}

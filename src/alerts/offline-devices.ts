import type { AlertRule } from './condition.ts'
import { idsAmong, subjectsOf } from './ended-subjects.ts'
import { instantWords } from './instant-words.ts'

/** Devices for live messages that nothing was heard of for a while; what a person has disabled is no news. */
export const offlineDevices = (afterMs: number): AlertRule => ({
  kinds: ['device_offline'],
  everyMs: 30_000,
  async find(db, nowMs) {
    const rows = await db
      .selectFrom('device_states')
      .innerJoin('devices', 'devices.id', 'device_states.device_id')
      .select(['devices.id', 'devices.account_id', 'devices.name', 'devices.kind', 'reasons', 'from_at'])
      .where('until_at', 'is', null)
      .where('status', '=', 'offline')
      .where('from_at', '<=', nowMs - afterMs)
      .where('devices.state', '=', 'enabled')
      .where('devices.mode', '=', 'live')
      .execute()
    return rows.map((row) => {
      const reasons = (JSON.parse(row.reasons) as string[]).join(', ')
      return {
        kind: 'device_offline',
        subject: row.id,
        accountId: row.account_id,
        mode: 'live',
        name: row.name,
        said: `The device (${row.kind}, ${row.id}) is offline since ${instantWords(row.from_at)}${reasons === '' ? '' : `: ${reasons}`}. Messages that only it can send wait until they expire.`,
      }
    })
  },
  async findRecovered(db, ended) {
    const rows = await db
      .selectFrom('device_states')
      .innerJoin('devices', 'devices.id', 'device_states.device_id')
      .select('devices.id')
      .where('until_at', 'is', null)
      .where('status', 'in', ['online', 'degraded'])
      .where('devices.state', '=', 'enabled')
      .where('devices.id', 'in', subjectsOf(ended))
      .execute()
    return idsAmong(ended, rows)
  },
})

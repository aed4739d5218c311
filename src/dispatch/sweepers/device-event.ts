import type { StandingChange } from '../../devices/status/device-history.ts'
import type { AccountEvent } from '../../messages/core/events.ts'

const types = {
  online: 'device.online',
  degraded: 'device.degraded',
  offline: 'device.offline',
} as const

/**
 * What the account of a device is told when it becomes something else; that the reasons alone have changed is no event. A shared device is nobody's:
 * its accounts see it in the status.
 */
export function deviceEvent(change: StandingChange): AccountEvent[] {
  const { deviceId, accountId, mode, kind, status, statusBefore, reasons, atMs } = change
  if (accountId === null || status === statusBefore || status === 'pending' || status === 'disabled')
    return []
  const facts = { device_id: deviceId, kind, status, previous_status: statusBefore, reasons }
  return [{ type: types[status], accountId, mode, atMs, subject: deviceId, facts }]
}

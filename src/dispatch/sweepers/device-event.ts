import type { StandingChange } from '../../devices/status/device-history.ts'
import type { AccountEvent } from '../../messages/core/events.ts'

const types = {
  online: 'device.online',
  degraded: 'device.degraded',
  offline: 'device.offline',
} as const

/**
 * Returns the event that the account of a device gets when its status changes; a change of only the reasons
 * is no event. A shared device has no account: its users see it in the status.
 */
export function deviceEvent(change: StandingChange): AccountEvent[] {
  const { deviceId, accountId, mode, kind, status, statusBefore, reasons, atMs } = change
  if (accountId === null || status === statusBefore || status === 'pending' || status === 'disabled')
    return []
  const facts = { device_id: deviceId, kind, status, previous_status: statusBefore, reasons }
  return [{ type: types[status], accountId, mode, atMs, subject: deviceId, facts }]
}

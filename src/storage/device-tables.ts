import type { DeviceStatus, Flag } from './column-values.ts'

/** What devices were and measured, as the console shows it. */

export interface DeviceStateTable {
  device_id: string
  from_at: number
  until_at: number | null
  status: DeviceStatus | 'disabled'
  reasons: string
}

export interface DeviceSampleTable {
  device_id: string
  at: number
  battery: number | null
  charging: Flag | null
  network: string | null
}

export interface ServerRunTable {
  epoch: number
  started_at: number
  seen_at: number
}

import type { Generated } from 'kysely'
import type { DeviceState, DeviceStatus, Flag, Mode } from './column-values.ts'
import type { DeviceReportBody, JsonText, PlanCounts, SimOfPhone } from './json-columns.ts'
import type { Destinations } from './route-tables.ts'

export interface DeviceTable {
  id: string
  account_id: string | null
  mode: Mode
  kind: string
  name: string
  state: DeviceState
  senders: JsonText<readonly string[]>
  settings: JsonText<Readonly<Record<string, string>>>
  secrets: string | null
  parts_per_window: number | null
  window_seconds: number | null
  draining: Generated<Flag>
  lease_owner: string | null
  lease_token: Generated<number>
  lease_until: number | null
  created_at: number
  updated_at: number
  group_id: string | null
  /** Numbers that it sends to. */
  destinations: JsonText<Destinations> | null
}

/** Devices with a common name. */
export interface DeviceGroupTable {
  id: string
  name: string
  /** 1 if they share one account at one carrier: receipts of one may arrive at any of them. */
  shared_receipts: Flag
  created_at: number
}

/** What the contract of a SIM includes; null members have no limit. */
export interface SimPlanTable {
  device_id: string
  /** By its slot, from 1. */
  sim: number
  parts_per_day: number | null
  parts_per_month: number | null
  numbers_per_month: number | null
  /** The day of the month on which it starts again; in a shorter month the last one. */
  month_starts: number
  /** The zone of its days. */
  zone: string
  created_at: number
  updated_at: number
}

export interface SimUsageTable {
  device_id: string
  sim: number
  /** In the zone of the SIM, as days since 1970. */
  day: number
  parts: number
  messages: number
  /** Numbers that were new in their month on this day. */
  numbers: number
}

export interface SimNumberTable {
  device_id: string
  sim: number
  /** 8 octets of an HMAC of the number (number-hash.ts). */
  number_key: string
  /** The day on which it was new in its month. */
  day: number
  messages: number
}

/** An SMS that one device sends to another one of its owner at an interval, to see that it arrives. */
export interface CanaryTable {
  id: string
  account_id: string | null
  from_device: string
  to_device: string
  recipient: string
  sender: string | null
  sim: number | null
  every_ms: number
  next_at: number
  lost_in_row: Generated<number>
  created_at: number
}

export interface CanaryRunTable {
  id: string
  canary_id: string
  from_device: string
  to_device: string
  code: string
  begun_at: number
  taken_at: number | null
  ended_at: number | null
  state: 'open' | 'arrived' | 'lost'
  reason: string | null
  network_id: string | null
  plan_counts: JsonText<PlanCounts> | null
}

export interface DeviceReportTable {
  device_id: string
  status: DeviceStatus
  reasons: JsonText<readonly string[]>
  body: JsonText<DeviceReportBody>
  reported_at: number
  told_by: number | null
}

export interface PhoneTokenTable {
  id: string
  account_id: string | null
  mode: Mode
  hash: string
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
}

export interface PhoneTable {
  id: string
  device_id: string
  token_id: string
  token_hash: string
  hook_hash: string
  signing_key: string
  name: string
  sims: JsonText<readonly SimOfPhone[] | null>
  app_version: string | null
  uses_push: Flag
  created_at: number
  updated_at: number
  heard_at: number | null
  superseded_at: number | null
}

/** A link that a phone opens to show that it reaches this instance. */
export interface ReachCheckTable {
  nonce_hash: string
  created_at: number
  opened_at: number | null
  opened_from: string | null
  /** The address that it was made for; null in rows of an earlier version. */
  address: string | null
}

/** Past states and measurements of devices, as the console shows them. */

export interface DeviceStateTable {
  device_id: string
  from_at: number
  until_at: number | null
  status: DeviceStatus | 'disabled'
  reasons: JsonText<readonly string[]>
}

export interface DeviceSampleTable {
  device_id: string
  at: number
  battery: number | null
  charging: Flag | null
  network: string | null
}

/** What must not be done twice to a device. */
export interface DeviceMarkTable {
  device_id: string
  name: string
  at: number
}

/** Unreadable input of a device, once per form. */
export interface UnreadFormTable {
  device_id: string
  kind: UnreadKind
  form: string
  times: number
  first_at: number
  last_at: number
}
/**
 * `word`: an unknown state in a receipt; `receipt`: a whole receipt; `rest`: the rest of a PDU; `pdu`: a
 * whole PDU. Of a phone: an event, a received message, a report.
 */
export type UnreadKind = 'word' | 'receipt' | 'rest' | 'pdu' | 'event' | 'message' | 'report'

export interface ServerRunTable {
  epoch: number
  started_at: number
  seen_at: number
}

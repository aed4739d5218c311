import type { Generated } from 'kysely'
import type { Mode } from './column-values.ts'

/** Counts and latencies of messages, updated as they happen. */

export type TrafficGrain = 'minutes5' | 'hours6'
export type TrafficMeasure = 'to_sent' | 'to_delivered'

export interface TrafficTable {
  account_id: string
  mode: Mode
  grain: TrafficGrain
  bucket: number
  accepted: Generated<number>
  received: Generated<number>
  sent: Generated<number>
  delivered: Generated<number>
  undelivered: Generated<number>
  failed: Generated<number>
  expired: Generated<number>
  canceled: Generated<number>
  unconfirmed: Generated<number>
  archived: Generated<number>
}

export interface TrafficTimeTable {
  account_id: string
  mode: Mode
  grain: TrafficGrain
  bucket: number
  measure: TrafficMeasure
  step: number
  messages: number
}

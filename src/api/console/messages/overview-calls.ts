import { Type } from 'typebox'
import { dayMs, utcDay } from '../../../runtime/clock.ts'
import { realKinds } from '../../../connectors/registry.ts'
import { areOwnDevicesFree } from '../../../devices/core/own-carriers.ts'
import { readDevicesStatus } from '../../../devices/status/device-status.ts'
import type { SeenDevice } from '../../../devices/status/judge-device.ts'
import { type Balance, readBalance } from '../../../ledger/balance.ts'
import { inUseDays, isLowForUse, type Pace, paceOf, readUsageDays } from '../../../ledger/usage-pace.ts'
import {
  readBars,
  readTimes,
  type TimeSummary,
  type TrafficBar,
} from '../../../messages/history/read-traffic.ts'
import { refuse } from '../../../runtime/errors.ts'
import { closed } from '../../../runtime/schemas.ts'
import type { Db } from '../../../storage/seam/dialect.ts'
import { type AccountContext, defineCall } from '../core/call.ts'
import { type OverviewRange, overviewRanges, windowOf } from './overview-range.ts'

export interface TrafficAnswer {
  range: OverviewRange
  fromMs: number
  toMs: number
  barMs: number
  bars: TrafficBar[]
  /** Accepted messages in the same bars a week before. */
  usual: number[]
  toSent: TimeSummary
  toDelivered: TimeSummary
}

export interface NowAnswer {
  balance: Pick<Balance, 'available' | 'reserved' | 'lowThreshold' | 'isLow' | 'ownUsed' | 'ownReserved'> & {
    /** Own devices carry live messages for nothing now: a low balance is a warning only if it is used. */
    areOwnFree: boolean
  }
  pace: Pace
  queue: { messages: number; parts: number; oldestAtMs: number | null }
  devices: (Pick<SeenDevice, 'id' | 'kind' | 'shared' | 'status' | 'reasons' | 'name'> & {
    /** Start of this status; null when unknown. */
    sinceMs: number | null
  })[]
  devicesTotal: number
  /** True when there has been a message in this mode. */
  hasMessages: boolean
}

export const overviewCalls = {
  /** Returns the outcome of the messages in a range, their latency, and their number a week before. */
  'overview/traffic': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object(
      { range: Type.Unsafe<OverviewRange>({ type: 'string', enum: Object.keys(overviewRanges) }) },
      closed,
    ),
    handle: ({ read, clock, account }, { range }) =>
      readTraffic(read, { accountId: account.id, mode: account.mode }, range, clock.now()),
  }),

  /** Returns the current state: balance and rate of use, queue, devices. */
  'overview/now': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, closed),
    handle: (context) => readNow(context),
  }),
}

const weekMs = 7 * dayMs

/** Reads the traffic of a range, in three reads of one primary key range each. */
export async function readTraffic(
  read: Db,
  owner: { accountId: string; mode: 'live' | 'test' },
  range: OverviewRange,
  nowMs: number,
): Promise<TrafficAnswer> {
  const window = windowOf(range, nowMs)
  const current = { ...owner, ...window }
  const before = { ...current, fromMs: window.fromMs - weekMs, toMs: window.toMs - weekMs }
  const [bars, usual, times] = await Promise.all([
    readBars(read, current),
    readBars(read, before),
    readTimes(read, current),
  ])
  const { fromMs, toMs, barMs } = window
  return {
    range,
    fromMs,
    toMs,
    barMs,
    bars,
    usual: usual.map(({ accepted }) => accepted),
    toSent: times.to_sent,
    toDelivered: times.to_delivered,
  }
}

async function readNow({ read, clock, account }: AccountContext): Promise<NowAnswer> {
  const nowMs = clock.now()
  const owner = { accountId: account.id, mode: account.mode }
  const today = utcDay(nowMs)
  // Longer than the pace needs: earlier usage shows that its first days were days of use.
  const [balance, areOwnFree, usage, status, counted] = await Promise.all([
    readBalance(read, account.id, account.mode, nowMs),
    account.mode === 'live' && areOwnDevicesFree(read, account.id, realKinds),
    readUsageDays(read, owner, today - inUseDays, today + 1),
    readDevicesStatus(read, owner, nowMs),
    read
      .selectFrom('traffic')
      .select('bucket')
      .where('account_id', '=', account.id)
      .where('mode', '=', account.mode)
      .limit(1)
      .executeTakeFirst(),
  ])
  if (balance === null) throw refuse('not_found')
  const since = await readSince(read, status.devices)
  const { available, reserved, lowThreshold, ownUsed, ownReserved } = balance
  const isLow = isLowForUse(balance, areOwnFree, usage)
  const { messages, parts, oldestQueuedAtMs: oldestAtMs } = status.queue
  return {
    balance: { available, reserved, lowThreshold, isLow, ownUsed, ownReserved, areOwnFree },
    pace: paceOf(usage.slice(0, -1), available),
    queue: { messages, parts, oldestAtMs },
    devices: status.devices.map(({ id, kind, shared, status: state, reasons, name }) => ({
      id,
      kind,
      shared,
      status: state,
      reasons,
      name,
      sinceMs: since.get(`${id}/${state}`) ?? null,
    })),
    devicesTotal: status.devicesTotal,
    hasMessages: counted !== undefined,
  }
}

/**
 * Returns when the current states began, by device and state. A state that is not stored yet has no start.
 */
async function readSince(read: Db, devices: readonly SeenDevice[]): Promise<Map<string, number>> {
  if (devices.length === 0) return new Map()
  const rows = await read
    .selectFrom('device_states')
    .select(['device_id', 'status', 'from_at'])
    .where(
      'device_id',
      'in',
      devices.map(({ id }) => id),
    )
    .where('until_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [`${row.device_id}/${row.status}`, row.from_at]))
}

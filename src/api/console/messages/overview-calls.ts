import { Type } from 'typebox'
import { dayMs, utcDay } from '../../../runtime/clock.ts'
import { readDevicesStatus, type SeenDevice } from '../../../devices/status/device-status.ts'
import { type Balance, readBalance } from '../../../ledger/balance.ts'
import { type Pace, paceDays, paceOf, readUsageDays } from '../../../ledger/usage-pace.ts'
import {
  readBars,
  readTimes,
  type TimeSummary,
  type TrafficBar,
} from '../../../messages/history/read-traffic.ts'
import { refuse } from '../../../runtime/errors.ts'
import type { Db } from '../../../storage/seam/dialect.ts'
import { type AccountContext, defineCall } from '../core/call.ts'
import { type OverviewRange, overviewRanges, windowOf } from './overview-range.ts'

export interface TrafficAnswer {
  range: OverviewRange
  fromMs: number
  toMs: number
  barMs: number
  bars: TrafficBar[]
  /** How many messages were accepted in the same bars a week before. */
  usual: number[]
  toSent: TimeSummary
  toDelivered: TimeSummary
}

export interface NowAnswer {
  balance: Pick<Balance, 'available' | 'reserved' | 'lowThreshold' | 'isLow'>
  pace: Pace
  queue: { messages: number; parts: number; oldestAtMs: number | null }
  devices: (Pick<SeenDevice, 'id' | 'kind' | 'shared' | 'status' | 'reasons' | 'name'> & {
    /** Since when it has this state; null when nobody watched it begin. */
    sinceMs: number | null
  })[]
  devicesTotal: number
  /** Whether there has been any message at all in this mode. */
  hasMessages: boolean
}

const closed = { additionalProperties: false }

export const overviewCalls = {
  /** What became of the messages of a range, how fast they were, and how many there were a week before. */
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

  /** How the account stands: balance and pace, what waits, its devices. */
  'overview/now': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, closed),
    handle: (context) => readNow(context),
  }),
}

const weekMs = 7 * dayMs

/** What a range shows, in three reads that each are one range of a primary key. */
export async function readTraffic(
  read: Db,
  owner: { accountId: string; mode: 'live' | 'test' },
  range: OverviewRange,
  nowMs: number,
): Promise<TrafficAnswer> {
  const window = windowOf(range, nowMs)
  const asked = { ...owner, ...window }
  const before = { ...asked, fromMs: window.fromMs - weekMs, toMs: window.toMs - weekMs }
  const [bars, usual, times] = await Promise.all([
    readBars(read, asked),
    readBars(read, before),
    readTimes(read, asked),
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
  // Longer than the pace looks, so that what was used before tells that the first days of it were days of use.
  const [balance, usage, status, counted] = await Promise.all([
    readBalance(read, account.id, account.mode, nowMs),
    readUsageDays(read, owner, today - 4 * paceDays, today),
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
  const { available, reserved, lowThreshold, isLow } = balance
  const { messages, parts, oldestQueuedAtMs: oldestAtMs } = status.queue
  return {
    balance: { available, reserved, lowThreshold, isLow },
    pace: paceOf(usage, available),
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

/** When the present states began, by device and state: a state that was not written down yet has no beginning. */
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

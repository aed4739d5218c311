import { sql } from 'kysely'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { TrafficGrain, TrafficMeasure } from '../../storage/tables/traffic-tables.ts'
import { quantileMs } from '../core/time-scale.ts'
import { type CountedState, countedStates } from '../core/traffic.ts'

/** Which counts to read: those of a wallet from one instant to another, both at the beginning of a bar. */
export interface TrafficWindow {
  accountId: string
  mode: Mode
  grain: TrafficGrain
  fromMs: number
  toMs: number
  /** A multiple of the grain. */
  barMs: number
}

export type BarState = CountedState | 'waiting'

/** Messages accepted within one bar, by their present status. */
export type TrafficBar = Record<BarState, number> & {
  atMs: number
  /** Outbound messages: the sum of the states. */
  accepted: number
  received: number
}

interface BarRow extends Record<CountedState, number> {
  at_ms: number
  accepted: number
  received: number
}

/** Returns every bar of a window in order, including empty ones. Reads one range of the primary key. */
export async function readBars(db: Db, window: TrafficWindow): Promise<TrafficBar[]> {
  const { fromMs, toMs, barMs } = window
  const sums = ['accepted', 'received', ...countedStates].map(
    (column) => sql`cast(sum(${sql.ref(column)}) as bigint) as ${sql.ref(column)}`,
  )
  const { rows } = await sql<BarRow>`
    select bucket - bucket % ${sql.lit(barMs)} as at_ms, ${sql.join(sums)} from traffic
    where ${within(window)} group by bucket - bucket % ${sql.lit(barMs)}`.execute(db)
  const found = new Map(rows.map((row) => [row.at_ms, row]))
  return Array.from({ length: Math.round((toMs - fromMs) / barMs) }, (_, i) =>
    barOf(fromMs + i * barMs, found.get(fromMs + i * barMs)),
  )
}

const within = ({ accountId, mode, grain, fromMs, toMs }: TrafficWindow) =>
  sql`account_id = ${accountId} and mode = ${mode} and grain = ${sql.lit(grain)} and bucket >= ${fromMs} and bucket < ${toMs}`

function barOf(atMs: number, row: BarRow | undefined): TrafficBar {
  const states = Object.fromEntries(countedStates.map((state) => [state, row?.[state] ?? 0])) as Record<
    CountedState,
    number
  >
  const accepted = row?.accepted ?? 0
  const final = countedStates.reduce((sum, state) => sum + states[state], 0)
  return { atMs, accepted, received: row?.received ?? 0, waiting: accepted - final, ...states }
}

/** Durations of the messages that reached a status. */
export interface TimeSummary {
  messages: number
  medianMs: number | null
  p95Ms: number | null
}

/**
 * Reads the durations of the messages that were accepted within a window. Reads one range of the primary key.
 */
export async function readTimes(db: Db, window: TrafficWindow): Promise<Record<TrafficMeasure, TimeSummary>> {
  const { rows } = await sql<{ measure: TrafficMeasure; step: number; messages: number }>`
    select measure, step, cast(sum(messages) as bigint) as messages from traffic_times
    where ${within(window)} group by measure, step`.execute(db)
  const of = (measure: TrafficMeasure): TimeSummary => {
    const counts = new Map(
      rows.filter((row) => row.measure === measure).map((row) => [row.step, row.messages]),
    )
    const messages = [...counts.values()].reduce((sum, count) => sum + count, 0)
    return { messages, medianMs: quantileMs(counts, 0.5), p95Ms: quantileMs(counts, 0.95) }
  }
  return { to_sent: of('to_sent'), to_delivered: of('to_delivered') }
}

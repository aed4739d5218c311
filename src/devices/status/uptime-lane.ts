import { sql } from 'kysely'
import type { DeviceStateTable } from '../../storage/tables/device-tables.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { reportLifetimeMs } from './device-report.ts'
import { readJson } from '../../storage/tables/json-columns.ts'

/** A stretch of an uptime bar. `unknown`: nothing was reported yet; `unwatched`: no server ran. */
export interface LaneStretch {
  fromMs: number
  untilMs: number
  status: DeviceStateTable['status'] | 'unknown' | 'unwatched'
  reasons: readonly string[]
}

/** A bar is drawn some hundred pixels wide. */
const maxStretches = 400
/** A curve is drawn some 500 pixels wide; a page shows a hundred devices. */
const maxSamples = 96
/** Maximum changes to read, the latest ones: a link that reconnects every second makes 86,400 a day. */
const maxRead = 5_000

interface Span {
  fromMs: number
  untilMs: number
}

/**
 * Returns the status of devices over a span, each in order and without holes. Short stretches of an unstable
 * device are merged into the worst of them.
 */
export async function readLanes(
  db: Db,
  deviceIds: readonly string[],
  span: Span,
): Promise<Map<string, LaneStretch[]>> {
  const gaps = gapsOf(await readRuns(db, span), span)
  const lanes = deviceIds.map(async (id): Promise<[string, LaneStretch[]]> => {
    const reported = withGaps(await readReported(db, id, span), gaps)
    return [id, coarse(withUnknown(reported, span), lengthOf(span) / maxStretches)]
  })
  return new Map(await Promise.all(lanes))
}

async function readReported(db: Db, deviceId: string, { fromMs, untilMs }: Span): Promise<LaneStretch[]> {
  const rows = await db
    .selectFrom('device_states')
    .select(['from_at', 'until_at', 'status', 'reasons'])
    .where('device_id', '=', deviceId)
    .where('from_at', '<', untilMs)
    .where((is) => is.or([is('until_at', 'is', null), is('until_at', '>', fromMs)]))
    .orderBy('from_at', 'desc')
    .limit(maxRead)
    .execute()
  return rows.toReversed().map((row) => ({
    fromMs: Math.max(fromMs, row.from_at),
    untilMs: Math.min(untilMs, row.until_at ?? untilMs),
    status: row.status,
    reasons: readJson(row.reasons),
  }))
}

const readRuns = (db: Db, { fromMs }: Span) =>
  db
    .selectFrom('server_runs')
    .select(['started_at', 'seen_at'])
    .where('seen_at', '>', fromMs)
    .orderBy('seen_at')
    .execute()

/** Returns since when devices have their status; those without a report are omitted. */
export async function readSince(db: Db, deviceIds: readonly string[]): Promise<Map<string, number>> {
  if (deviceIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('device_states')
    .select(['device_id', 'from_at'])
    .where('device_id', 'in', deviceIds)
    .where('until_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.device_id, row.from_at]))
}

export interface DeviceSample {
  at: number
  battery: number
}

/**
 * Returns the battery of a device over a span, in order. With more samples than a curve can show, the lowest
 * of each piece is used.
 */
export async function readSamples(
  db: Db,
  deviceId: string,
  { fromMs, untilMs }: Span,
): Promise<DeviceSample[]> {
  const pieceMs = Math.ceil((untilMs - fromMs) / maxSamples)
  const rows = await db
    .selectFrom('device_samples')
    .select([
      sql<number>`cast((at - ${fromMs}) / ${pieceMs} as bigint)`.as('piece'),
      sql<number>`max(at)`.as('latest'),
      sql<number>`min(battery)`.as('battery'),
    ])
    .where('device_id', '=', deviceId)
    .where('at', '>=', fromMs)
    .where('at', '<', untilMs)
    .where('battery', 'is not', null)
    .groupBy('piece')
    .orderBy('piece')
    .execute()
  return rows.map(({ latest, battery }) => ({ at: latest, battery }))
}

/**
 * Returns when no server ran, of any number at a time, if it was longer than a restart. The current one may
 * not have recorded itself for as long as it may be silent.
 */
function gapsOf(runs: readonly { started_at: number; seen_at: number }[], { fromMs, untilMs }: Span): Span[] {
  const gaps: Span[] = []
  let seenMs = fromMs
  for (const { started_at, seen_at } of runs.toSorted((a, b) => a.started_at - b.started_at)) {
    gaps.push({ fromMs: seenMs, untilMs: started_at })
    seenMs = Math.max(seenMs, seen_at)
  }
  gaps.push({ fromMs: seenMs, untilMs })
  return gaps.filter((gap) => gap.untilMs - gap.fromMs > reportLifetimeMs)
}

function withUnknown(reported: readonly LaneStretch[], { fromMs, untilMs }: Span): LaneStretch[] {
  const all: LaneStretch[] = []
  let atMs = fromMs
  for (const stretch of reported) {
    if (stretch.fromMs > atMs) all.push(unknown(atMs, stretch.fromMs))
    all.push(stretch)
    atMs = stretch.untilMs
  }
  if (atMs < untilMs) all.push(unknown(atMs, untilMs))
  return all
}

const unknown = (fromMs: number, untilMs: number): LaneStretch => ({
  fromMs,
  untilMs,
  status: 'unknown',
  reasons: [],
})

/**
 * Cuts the gaps out of the stretches: what was reported before the server ended says nothing about the time
 * after it.
 */
function withGaps(stretches: readonly LaneStretch[], gaps: readonly Span[]): LaneStretch[] {
  const cut = stretches.flatMap((stretch) => {
    const pieces: LaneStretch[] = []
    let atMs = stretch.fromMs
    for (const gap of gaps) {
      if (gap.untilMs <= atMs || gap.fromMs >= stretch.untilMs) continue
      if (gap.fromMs > atMs) pieces.push({ ...stretch, fromMs: atMs, untilMs: gap.fromMs })
      atMs = Math.min(gap.untilMs, stretch.untilMs)
    }
    return atMs < stretch.untilMs ? [...pieces, { ...stretch, fromMs: atMs }] : pieces
  })
  // Before the first report there was nothing to watch.
  const [first] = stretches
  const unwatched = gaps.flatMap((gap): LaneStretch[] => {
    const from = Math.max(gap.fromMs, first?.fromMs ?? gap.untilMs)
    return from < gap.untilMs ? [{ ...gap, fromMs: from, status: 'unwatched', reasons: [] }] : []
  })
  return [...cut, ...unwatched].toSorted((a, b) => a.fromMs - b.fromMs)
}

/** Which of two stretches in one place is more important. */
const weights: Readonly<Record<LaneStretch['status'], number>> = {
  offline: 5, degraded: 4, disabled: 3, unwatched: 2, pending: 1, online: 1, unknown: 0,
} // prettier-ignore

/** Merges equal stretches; and, when there are more than can be shown, those that are too short to be seen. */
function coarse(stretches: readonly LaneStretch[], shortestMs: number): LaneStretch[] {
  const isMany = stretches.length > maxStretches
  const merged: LaneStretch[] = []
  for (const stretch of stretches) {
    const last = merged.at(-1)
    if (last === undefined || !(isAlike(last, stretch) || (isMany && lengthOf(last) < shortestMs)))
      merged.push(stretch)
    else {
      const worse = weights[stretch.status] > weights[last.status] ? stretch : last
      merged[merged.length - 1] = { ...worse, fromMs: last.fromMs, untilMs: stretch.untilMs }
    }
  }
  return merged
}

const isAlike = (a: LaneStretch, b: LaneStretch): boolean =>
  a.status === b.status && String(a.reasons) === String(b.reasons)
const lengthOf = ({ fromMs, untilMs }: Span): number => untilMs - fromMs

import { Type } from 'typebox'
import { rfc3339 } from '../../runtime/clock.ts'
import type { CanaryView } from '../../devices/canaries/canary-view.ts'
import { instantOrNull, oneOf, orNull } from '../../runtime/schemas.ts'

const seconds = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], minimum: 0, description })

export const CanarySchema = Type.Object({
  id: Type.String({ description: 'Canary ID.' }),
  to_device: Type.String({ description: 'Device that receives it.' }),
  every_seconds: Type.Integer({ minimum: 1, description: 'Interval between two runs.' }),
  last_run_at: instantOrNull('Begin of the latest run.'),
  last_state: orNull<string>('string', 'State of the latest run: `open`, `arrived`, `lost`; null before the first one.'),
  last_seconds: seconds( 'Seconds until the latest run arrived; null if it has not.'),
  median_seconds: seconds( 'Median seconds of the runs that arrived, of the last 100.'),
  lost: Type.Integer({ minimum: 0, description: 'Lost runs of the last 100.' }),
  runs: Type.Integer({ minimum: 0, description: 'Ended runs of the last 100.' }),
  status: oneOf(['ok', 'lost'], '`lost`: the last two runs or more did not arrive.'),
}) // prettier-ignore

/** Renders a canary for the API and the command line. */
export const renderCanary = (canary: CanaryView) => ({
  id: canary.id,
  to_device: canary.toDevice,
  every_seconds: canary.everyMs / 1_000,
  last_run_at: canary.last === null ? null : rfc3339(canary.last.begunAt),
  last_state: canary.last?.state ?? null,
  last_seconds: canary.last?.seconds ?? null,
  median_seconds: canary.medianSeconds,
  lost: canary.lost,
  runs: canary.runs,
  status: canary.lostInRow >= 2 ? ('lost' as const) : ('ok' as const),
})

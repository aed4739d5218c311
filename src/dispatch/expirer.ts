import { expireWaiting } from '../messages/end-waiting.ts'
import type { WriteHorizon } from '../messages/history-horizon.ts'
import type { Metrics } from '../process/metrics.ts'
import type { Writer } from '../storage/writer.ts'
import { Janitor, type JanitorDeps } from './janitor.ts'

const intervalMs = 1_000
const mostPerRoute = 500

/** Ends what waited past its validity, within about a second of it. */
export const createExpirer = (
  deps: JanitorDeps & { writer: Writer; metrics: Metrics; horizon: WriteHorizon },
): Janitor =>
  new Janitor(deps, {
    name: 'expirer',
    intervalMs,
    async sweep() {
      const nowMs = deps.clock.now()
      const ended = await deps.horizon.hold(nowMs, (timeIn) =>
        deps.writer.write(async (tx) => expireWaiting(tx, await timeIn(tx), mostPerRoute)),
      )
      for (const message of ended) deps.metrics.advanced(message.status)
      return ended.length > 0
    },
  })

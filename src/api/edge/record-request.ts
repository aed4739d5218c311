import { type Clock, minuteMs } from '../../runtime/clock.ts'
import type { Config } from '../../config.ts'
import type { Handled } from './handled-request.ts'
import { pathOf } from './request-target.ts'

export interface RecordRequestDeps {
  clock: Pick<Clock, 'monotonicMs' | 'schedule'>
  config: Pick<Config, 'logSends'>
  log: RequestLog
  metrics: RequestMetrics
}

export interface RequestLog {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface RequestMetrics {
  refused(code: string): void
  requestEnded(operation: string, status: number, seconds: number): void
}

/** Counts and logs the response to a request, once it is written. */
export type RecordRequest = (request: Handled, status: number) => void

/**
 * Creates the function that counts and logs each response. Accepted sends get one line each minute with their number, unless the
 * setting asks for a line each: history has each of their messages.
 */
export function createRecordRequest({ clock, config, metrics, log }: RecordRequestDeps): RecordRequest {
  let sends = 0
  const countSend = (): void => {
    sends += 1
    if (sends > 1) return
    clock.schedule(minuteMs, () => {
      log.info({ sends }, 'sends accepted in the last minute')
      sends = 0
    })
  }
  return (request, status) => {
    const { progress } = request
    const elapsedMs = clock.monotonicMs() - progress.startedMs
    metrics.requestEnded(progress.route ?? 'none', status, elapsedMs / 1000)
    if (progress.isSend && status === 202 && config.logSends === 'count') countSend()
    else log.info(logFields(request, status, elapsedMs), 'request')
  }
}

/** Returns the log fields of a request: never a query, a body, or a header other than the trace. */
function logFields(request: Handled, status: number, elapsedMs: number): object {
  const { raw, progress } = request
  return {
    request: request.id,
    method: raw.method,
    path: progress.route ?? maskPath(raw.url ?? ''),
    status,
    ms: Math.round(elapsedMs * 100) / 100,
    ...progress.caller,
    trace: traceOf(raw.headers['traceparent']),
  }
}

/** Masks an unknown path, which can contain anything: what looks like a number or a key is not logged. */
const maskPath = (url: string): string =>
  pathOf(url)
    .slice(0, 200)
    .replace(/onesixty_\w*/g, 'onesixty_…')
    .replace(/\d{5,}/g, '…')

/** Returns the trace ID of a W3C `traceparent` header. */
const traceOf = (traceparent: string | string[] | undefined): string | undefined =>
  typeof traceparent === 'string'
    ? /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(traceparent)?.[1]
    : undefined

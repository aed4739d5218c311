import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { refuse } from '../../runtime/errors.ts'
import { isLocal } from '../edge/remote-address.ts'
import type { Reply } from '../edge/respond.ts'

export interface Readiness {
  ready: boolean
  /** Reasons for people; empty when ready. */
  reasons: readonly string[]
}

const json = (status: number, body: object): Reply => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
})

/** Liveness: the process runs and its event loop turns. Independent of all dependencies. */
export const healthPage = (): Reply => json(200, { status: 'ok' })

/** Readiness: whether this node should get requests. */
export const readinessPage = ({ ready, reasons }: Readiness): Reply =>
  json(ready ? 200 : 503, { status: ready ? 'ready' : 'not_ready', reasons })

/**
 * Returns the metrics to this machine and to clients with the token; for all others the page does not exist.
 */
export async function metricsPage(
  { text, token }: { text: () => Promise<string>; token: string | null },
  request: IncomingMessage,
): Promise<Reply> {
  const given = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const allowed = given === undefined ? isLocal(request) : token !== null && sameText(given, token)
  if (!allowed) throw refuse('not_found')
  return { status: 200, contentType: 'text/plain; version=0.0.4; charset=utf-8', body: await text() }
}

/** Compares in constant time, regardless of a common prefix. */
const sameText = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(hash('sha256', a)), Buffer.from(hash('sha256', b)))

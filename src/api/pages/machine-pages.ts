import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { refuse } from '../../runtime/errors.ts'
import { isLocal } from '../remote-address.ts'
import type { Reply } from '../respond.ts'

export interface Readiness {
  ready: boolean
  /** Why not, for people; empty when ready. */
  reasons: readonly string[]
}

const json = (status: number, body: object): Reply => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
})

/** The process runs and its loop turns. Says nothing about what it depends on. */
export const healthPage = (): Reply => json(200, { status: 'ok' })

/** Whether this node should be sent requests. */
export const readinessPage = ({ ready, reasons }: Readiness): Reply =>
  json(ready ? 200 : 503, { status: ready ? 'ready' : 'not_ready', reasons })

/** The metrics, for this machine itself or for who brings the token; for others they do not exist. */
export async function metricsPage(
  { text, token }: { text: () => Promise<string>; token: string | null },
  request: IncomingMessage,
): Promise<Reply> {
  const given = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const allowed = given === undefined ? isLocal(request) : token !== null && sameText(given, token)
  if (!allowed) throw refuse('not_found')
  return { status: 200, contentType: 'text/plain; version=0.0.4; charset=utf-8', body: await text() }
}

/** Takes as long whatever the texts have in common. */
const sameText = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(hash('sha256', a)), Buffer.from(hash('sha256', b)))

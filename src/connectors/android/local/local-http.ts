import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { readUpTo } from '../../../runtime/read-up-to.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import { type LocalAddress, originOf } from './local-address.ts'
import { tooLarge, VisitFailed } from './visit-failed.ts'

/** A phone in the same network answers within milliseconds; one that dozes does not answer at all. */
const timeoutMs = 5_000
/** A page of usual texts has 60 kB. */
const maxBytes = 2 * 1024 * 1024

export interface LocalRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With its query. */
  path: string
  /** Null: without a password. */
  login: { user: string; password: string } | null
  body?: unknown
}

export interface LocalAnswer {
  status: number
  /** Undefined without a body, or for one that is not JSON. */
  json: unknown
  /** The rows of all pages; null where the answer does not name it. */
  total: number | null
  /** The clock of the phone, in whole seconds; null without one. */
  dateMs: number | null
}

/**
 * Without settings of a proxy from the environment, as fetch and the global agent have them: the password is for the phone alone. A connection a request,
 * because one that was kept may be one of the network before.
 */
const agent = new Agent({ keepAlive: false })

/**
 * Sends one request to a phone and returns its answer, of any status. Follows no redirect: it would carry the
 * password elsewhere. Throws `VisitFailed` without a complete answer in time: the phone may have acted on it.
 */
export async function exchange(
  { schedule, timeoutMs: withinMs = timeoutMs }: Pick<ConnectorTools, 'schedule'> & { timeoutMs?: number },
  address: LocalAddress,
  { method, path, login, body }: LocalRequest,
): Promise<LocalAnswer> {
  const origin = await originOf(address)
  const abort = new AbortController()
  const cancel = schedule(withinMs, () => abort.abort(new Error(`no answer in ${withinMs} ms`)))
  const octets = body === undefined ? null : Buffer.from(JSON.stringify(body))
  try {
    const asking = request(`${origin}${path}`, {
      method,
      agent,
      signal: abort.signal,
      headers: {
        accept: 'application/json',
        ...(login === null ? {} : { authorization: basic(login) }),
        ...(octets === null ? {} : { 'content-type': 'application/json', 'content-length': octets.length }),
      },
    })
    // A reset after the head is an error of the answer, and of the request, too.
    asking.on('error', () => undefined)
    asking.end(octets ?? undefined)
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    return await readAnswer(response)
  } catch (error) {
    throw error instanceof VisitFailed ? error : new VisitFailed('unreachable', reasonIn(error))
  } finally {
    cancel()
  }
}

const basic = ({ user, password }: { user: string; password: string }): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

async function readAnswer(response: IncomingMessage): Promise<LocalAnswer> {
  const { statusCode: status = 0, headers } = response
  if (status >= 300 && status < 400) {
    response.destroy()
    throw new VisitFailed('unreachable', 'the address redirects')
  }
  const body = await readUpTo(response as AsyncIterable<Buffer>, maxBytes)
  if (body === null) throw new VisitFailed('phone_errors', tooLarge)
  const total = headers['x-total-count']
  const dateMs = Date.parse(headers.date ?? '')
  return {
    status,
    json: jsonOf(body.toString('utf8')),
    total: typeof total === 'string' && /^\d{1,9}$/.test(total) ? Number(total) : null,
    dateMs: Number.isNaN(dateMs) ? null : dateMs,
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The code of the system, such as ECONNREFUSED; never a text that may contain the request. */
function reasonIn(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  if (code === 'ABORT_ERR' && cause instanceof Error) return cause.message
  return typeof code === 'string' ? code : 'no answer'
}

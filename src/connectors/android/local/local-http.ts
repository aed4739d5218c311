import type { ConnectorTools } from '../../connector-tools.ts'
import { type LocalAddress, originOf } from './local-address.ts'
import { VisitFailed } from './visit-failed.ts'

/** A phone in the same network answers within milliseconds; one that dozes does not answer at all. */
const timeoutMs = 5_000
/** A page of the largest texts has 1.3 MB. */
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
  try {
    const response = await fetch(`${origin}${path}`, {
      method,
      redirect: 'error',
      signal: abort.signal,
      headers: {
        accept: 'application/json',
        ...(login === null ? {} : { authorization: basic(login) }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return await readAnswer(response)
  } catch (error) {
    throw error instanceof VisitFailed ? error : new VisitFailed('unreachable', reasonIn(error))
  } finally {
    cancel()
  }
}

const basic = ({ user, password }: { user: string; password: string }): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

async function readAnswer(response: Response): Promise<LocalAnswer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new VisitFailed('phone_errors', 'an answer of more than 2 MB')
    chunks.push(chunk)
  }
  const total = response.headers.get('x-total-count')
  const dateMs = Date.parse(response.headers.get('date') ?? '')
  return {
    status: response.status,
    json: jsonOf(Buffer.concat(chunks).toString('utf8')),
    total: total !== null && /^\d{1,9}$/.test(total) ? Number(total) : null,
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
  const { cause } = error as { cause?: { code?: unknown } }
  if (typeof cause?.code === 'string') return cause.code
  return error instanceof Error ? error.message : 'no answer'
}

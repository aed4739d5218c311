import { loopbackAddress } from '../../process/own-address.ts'
import type { CommandContext } from './command-context.ts'
import { CommandError, UsageError } from './command-errors.ts'

const answerWithinMs = 15_000

export interface ApiServer {
  url: string
  key: string
}

interface Sending {
  body: object
  idempotencyKey: string
  /** How a send whose response was lost is repeated, as the end of a sentence. */
  retry: string
}

/** A retry may succeed. */
export class TemporaryError extends CommandError {}

/** Calls the API of a running server, and returns the document of its answer. Throws a `CommandError` with the sentences of a refusal. */
export async function callApi(
  server: ApiServer,
  method: 'GET' | 'POST',
  path: string,
  sending?: Sending,
): Promise<unknown> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${server.key}`,
    accept: 'application/json',
  }
  if (sending !== undefined) {
    headers['content-type'] = 'application/json'
    headers['idempotency-key'] = sending.idempotencyKey
  }
  const request = { method, headers, redirect: 'error', signal: AbortSignal.timeout(answerWithinMs) } as const
  const answer = await fetch(
    `${server.url}${path}`,
    sending === undefined ? request : { ...request, body: JSON.stringify(sending.body) },
  ).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : null
    // When several addresses failed, only the code has the reason.
    const why = cause === null ? String(error) : cause.message.trim() || codeOf(cause)
    const fix = sending === undefined ? undefined : fixForNoConnection(codeOf(cause))
    const hint = fix === undefined ? howToRetry(sending) : ` Nothing was sent. ${fix}`
    throw new TemporaryError('no_answer', `No response from ${server.url}: ${why}.${hint}`)
  })
  const document: unknown = await answer.json().catch(() => null)
  if (answer.ok && document === null)
    throw new TemporaryError('no_answer', `Invalid response from ${server.url}.${howToRetry(sending)}`)
  if (answer.ok) return document
  const { code, title, detail, errors } = (document ?? {}) as {
    code?: string
    title?: string
    detail?: string
    errors?: { detail: string }[]
  }
  const sentences = [
    title ?? `The server returned ${answer.status}.`,
    ...(detail === undefined ? [] : [detail]),
    ...(errors ?? []).map((fault) => fault.detail),
  ]
  const isUnknown = answer.status >= 500
  const message = `${[...new Set(sentences)].join(' ')}${isUnknown ? howToRetry(sending) : ''}`
  const ErrorClass = isUnknown || answer.status === 429 ? TemporaryError : CommandError
  throw new ErrorClass(code ?? `http_${answer.status}`, message)
}

const howToRetry = (sending: Sending | undefined): string =>
  sending === undefined ? '' : ` The send may have been accepted: ${sending.retry}`

/** Returns the URL of the running server: as given, else from the settings. */
export function serverUrl({ config }: CommandContext, given: string | undefined): string {
  const url = given ?? loopbackAddress(config)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`--url must be an http or https URL, not '${url}'.`)
  return url.replace(/\/+$/, '')
}

const codeOf = (cause: Error | null): string => (cause as { code?: string } | null)?.code ?? ''

/** Returns the fix when no connection was made, so that the request cannot have been read; else undefined. */
function fixForNoConnection(code: string): string | undefined {
  if (['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(code)) return 'Is the server running?'
  // The TLS handshake or the certificate check failed: nothing of the request was written.
  return /^(?:ERR_TLS_|ERR_SSL_WRONG_VERSION|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code)
    ? 'Set --url to a host name that the certificate of the server covers.'
    : undefined
}

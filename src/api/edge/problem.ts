import { problems, Refusal, refuse } from '../../runtime/errors.ts'
import { StorageError, UnfitValueError } from '../../storage/seam/dialect.ts'

/** What a problem document contains in addition to the refusal. */
export interface ProblemContext {
  publicUrl: string
  requestId: string
  /** True for a send: its refusals state that nothing was sent. */
  isSend: boolean
}

const maxErrors = 100

/**
 * Renders the problem document of a refusal (RFC 9457) as JSON text. Without its own detail it has the remedy
 * of the catalogue.
 */
export function renderProblem({ code, extra }: Refusal, context: ProblemContext): string {
  const { status, summary, remedy } = problems[code]
  const { detail = remedy, errors, headers: _, ...members } = extra
  const nothingSent = context.isSend && code !== 'outcome_unknown' ? ' Nothing was sent.' : ''
  return JSON.stringify({
    type: `${context.publicUrl}/docs/problems/${code}`,
    title: summary,
    status,
    code,
    detail: detail + nothingSent,
    request_id: context.requestId,
    ...members,
    ...(errors === undefined ? {} : { errors: errors.slice(0, maxErrors) }),
  })
}

/** Returns the refusal for a thrown value. No part of that value reaches the client. */
export function refusalFrom(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof UnfitValueError)
    return refuse('malformed_request', {
      detail: 'The body contains a value that the database cannot store.',
    })
  if (error instanceof StorageError) return refusalFromStorage(error)
  // Anything can be thrown.
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown }
  const own = typeof code === 'string' ? frameworkRefusals[code] : undefined
  if (own !== undefined) return own()
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
    ? refuse('malformed_request', { detail: 'The body is incomplete.' })
    : refuse('internal_error')
}

/**
 * Returns whether the error needs its own log entry. A value that only the database refused passed our own
 * checks; a damaged page is reported nowhere else.
 */
export const isSurprise = (error: unknown): boolean =>
  error instanceof UnfitValueError ||
  (error instanceof StorageError && error.fault === 'damaged_page') ||
  refusalFrom(error).code === 'internal_error'

const frameworkRefusals: Readonly<Record<string, () => Refusal>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => refuse('payload_too_large', { headers: { connection: 'close' } }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => refuse('unsupported_media_type'),
  FST_ERR_BAD_URL: () => refuse('not_found'),
}

function refusalFromStorage({ fault }: StorageError): Refusal {
  switch (fault) {
    case 'full':
      return refuse('storage_full')
    case 'damaged':
    case 'damaged_page':
      return refuse('storage_damaged')
    case 'outcome_unknown':
      return refuse('outcome_unknown', { headers: { 'retry-after': '1' } })
    case 'busy':
    case 'conflict':
    case 'unavailable':
    case 'closed':
      return refuse('unavailable', { headers: { 'retry-after': '1' } })
    case 'constraint':
    case 'other':
      return refuse('internal_error')
  }
}

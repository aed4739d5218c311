import { problems, Refusal, refuse } from '../runtime/errors.ts'
import { StorageError, UnfitValueError } from '../storage/seam/dialect.ts'

/** What the document of a problem says beside the refusal itself. */
export interface ProblemContext {
  publicUrl: string
  requestId: string
  /** Whether a send was asked for: its refusals say that nothing was sent. */
  isSend: boolean
}

const maxErrors = 100

/** The problem document of a refusal, RFC 9457, as JSON text. Without a detail of its own it says what to do. */
export function renderProblem({ code, extra }: Refusal, context: ProblemContext): string {
  const { status, says, remedy } = problems[code]
  const { detail = remedy, errors, headers: _, ...members } = extra
  const nothingSent = context.isSend && code !== 'outcome_unknown' ? ' Nothing was sent.' : ''
  return JSON.stringify({
    type: `${context.publicUrl}/docs/problems/${code}`,
    title: says,
    status,
    code,
    detail: detail + nothingSent,
    request_id: context.requestId,
    ...members,
    ...(errors === undefined ? {} : { errors: errors.slice(0, maxErrors) }),
  })
}

/**
 * What a thrown value means to the client; nothing of the thing thrown reaches it.
 */
export function refusalFrom(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof UnfitValueError)
    return refuse('malformed_request', { detail: 'It holds a value that the database does not take.' })
  if (error instanceof StorageError) return refusalFromStorage(error)
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  const own = typeof code === 'string' ? frameworkRefusals[code] : undefined
  if (own !== undefined) return own()
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
    ? refuse('malformed_request', { detail: 'The body did not arrive whole.' })
    : refuse('internal_error')
}

/**
 * Whether what was thrown is worth an entry in the log of its own. A value that only the database refused got past a check of ours; of a damaged page
 * nobody else tells.
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

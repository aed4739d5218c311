import type { ProblemCode } from '../../runtime/errors.ts'

const onEveryAnswer = {
  'Request-Id': {
    description: 'ID of this request in the server log.',
    schema: { type: 'string' },
    required: true,
  },
}

/** Known after authentication. */
const ofLimits = {
  'RateLimit-Policy': {
    description:
      'Rate limit of this operation, on every authenticated response: quota and window in seconds.',
    schema: { type: 'string' },
    example: '"send";q=600;w=60',
  },
  RateLimit: {
    description: 'Requests left, and seconds until the reset.',
    schema: { type: 'string' },
    example: '"send";r=597;t=12',
  },
}

const ofRefusals = {
  'Retry-After': {
    description: 'Seconds to wait before the request is repeated.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': {
    description: 'What is wrong with the credentials (RFC 6750).',
    schema: { type: 'string' },
  },
  Allow: { description: 'Allowed methods of this path.', schema: { type: 'string' } },
}

/** All headers of the reference, described once. */
export const answerHeaders = { ...onEveryAnswer, ...ofLimits, ...ofRefusals }

/** Headers of a successful response. */
export const successHeaders = Object.keys({ ...onEveryAnswer, ...ofLimits })

/** Returns the headers that a response with one of these codes can have. */
export const refusalHeaders = (codes: readonly ProblemCode[]): string[] => [
  ...(codes.every((code) => withoutLimits.has(code)) ? Object.keys(onEveryAnswer) : successHeaders),
  ...Object.entries(codesByHeader).flatMap(([name, codesOfHeader]) =>
    codes.some((code) => codesOfHeader.has(code)) ? [name] : [],
  ),
]

/** Refused before authentication, or without it. */
const withoutLimits: ReadonlySet<ProblemCode> = new Set([
  'unauthenticated',
  'method_not_allowed',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
])

const codesByHeader: Readonly<Record<keyof typeof ofRefusals, ReadonlySet<ProblemCode>>> = {
  'Retry-After': new Set([
    'idempotency_in_progress',
    'rate_limited',
    'queue_full',
    'recipient_rate_limited',
    'no_sender_available',
    'unavailable',
  ]),
  'WWW-Authenticate': new Set(['invalid_header', 'unauthenticated', 'invalid_token', 'insufficient_scope']),
  Allow: new Set(['method_not_allowed']),
}

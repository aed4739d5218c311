import type { ProblemCode } from '../runtime/errors.ts'

const onEveryAnswer = {
  'Request-Id': {
    description: 'Names this request in the log of the service.',
    schema: { type: 'string' },
    required: true,
  },
}

/** Known once the key is. */
const ofLimits = {
  'RateLimit-Policy': {
    description:
      'The limit that this operation draws on, on every authenticated answer: quota and window in seconds.',
    schema: { type: 'string' },
    example: '"send";q=600;w=60',
  },
  RateLimit: {
    description: 'What is left of it, and for how many seconds.',
    schema: { type: 'string' },
    example: '"send";r=597;t=12',
  },
}

const ofRefusals = {
  'Retry-After': {
    description: 'Seconds after which to repeat.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': {
    description: 'What is wrong with the credentials (RFC 6750).',
    schema: { type: 'string' },
  },
  Allow: { description: 'The methods of this path.', schema: { type: 'string' } },
}

/** Every header that the reference names, described once. */
export const answerHeaders = { ...onEveryAnswer, ...ofLimits, ...ofRefusals }

/** The headers of an answer that is no refusal. */
export const successHeaders = Object.keys({ ...onEveryAnswer, ...ofLimits })

/** The headers that answers with one of these codes may carry. */
export const refusalHeaders = (codes: readonly ProblemCode[]): string[] => [
  ...(codes.every((code) => withoutLimits.has(code)) ? Object.keys(onEveryAnswer) : successHeaders),
  ...Object.entries(bringers).flatMap(([name, bringing]) =>
    codes.some((code) => bringing.has(code)) ? [name] : [],
  ),
]

/** Refused before the key is looked at, or by who knows nothing of keys. */
const withoutLimits: ReadonlySet<ProblemCode> = new Set([
  'unauthenticated',
  'method_not_allowed',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
])

const bringers: Readonly<Record<keyof typeof ofRefusals, ReadonlySet<ProblemCode>>> = {
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

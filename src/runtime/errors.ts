/**
 * The closed catalogue of problems. `summary` is true of every case and becomes the title; `remedy` is what to
 * do about it and is shown on the problem's page under /docs/problems/.
 */
export const problems = {
  malformed_request: { status: 400, summary: 'The request cannot be read.', remedy: 'Send one JSON object in valid UTF-8, and no body with GET.' },
  invalid_query: { status: 400, summary: 'A query parameter is invalid.', remedy: 'Fix the parameters listed in `errors`. Each may be given once unless the reference says otherwise.' },
  invalid_cursor: { status: 400, summary: 'The cursor is invalid.', remedy: 'Use `next_cursor` exactly as it was returned, with the same key and no other parameter than `limit`, or start again without a cursor.' },
  invalid_header: { status: 400, summary: 'A request header is invalid.', remedy: 'Send one Authorization header of the form `Bearer <API_KEY>`, and an Idempotency-Key of 1 to 255 visible ASCII characters.' },
  unauthenticated: { status: 401, summary: 'The request has no API key.', remedy: 'Send the header `Authorization: Bearer <API_KEY>`.' },
  invalid_token: { status: 401, summary: 'The API key is invalid.', remedy: 'Check that the whole key was copied. It may also have expired or been revoked; if so, create a new one.' },
  not_signed_in: { status: 401, summary: 'You are not signed in.', remedy: 'Sign in and try again.' },
  insufficient_balance: { status: 402, summary: 'The balance does not cover this send.', remedy: 'Ask the operator to grant more SMS, or send fewer parts. The same Idempotency-Key works after a top-up.' },
  insufficient_scope: { status: 403, summary: 'The API key lacks permission for this.', remedy: 'Use a key with the scope named in `WWW-Authenticate`.' },
  not_permitted: { status: 403, summary: 'You do not have permission for this.', remedy: 'Ask an owner of the account, or the operator.' },
  foreign_origin: { status: 403, summary: 'The request does not come from the console.', remedy: 'Open the console at its own address; behind a proxy set `ONESIXTY_PUBLIC_URL` to that address.' },
  https_required: { status: 403, summary: 'Sign-in requires HTTPS, or a browser on the server itself.', remedy: 'Configure a certificate (`ONESIXTY_TLS_CERT`, `ONESIXTY_TLS_KEY`), or a reverse proxy with one and set `ONESIXTY_PUBLIC_URL` to its https address, or open an SSH tunnel and use http://localhost.' },
  sign_up_closed: { status: 403, summary: 'Sign-up is by invitation only.', remedy: 'Ask the operator for an invitation, or to set `ONESIXTY_SIGNUP`.' },
  account_suspended: { status: 403, summary: 'The account is suspended.', remedy: 'Ask the operator to reactivate it. Until then reading works, and queued messages stay queued.' },
  not_found: { status: 404, summary: 'Not found.', remedy: 'Check the path, including case and slashes. /docs lists the four operations.' },
  method_not_allowed: { status: 405, summary: 'Method not allowed.', remedy: 'Use the method named in the `Allow` header.' },
  not_acceptable: { status: 406, summary: 'No acceptable response format.', remedy: 'Accept `application/json` or `application/problem+json`, or send no Accept header.' },
  request_timeout: { status: 408, summary: 'The request took too long to arrive.', remedy: 'Send headers and body without long pauses: by default headers within 5 s, the whole request within 10 s.' },
  idempotency_in_progress: { status: 409, summary: 'A request with this Idempotency-Key is still being processed.', remedy: 'Repeat after `Retry-After` seconds to get the response of the first request.' },
  link_not_valid: { status: 410, summary: 'This link has expired or was already used.', remedy: 'Request a new one from the operator.' },
  payload_too_large: { status: 413, summary: 'The request body is too large.', remedy: 'Send less (64 KiB by default). Split a long list of recipients into several requests.' },
  uri_too_long: { status: 414, summary: 'The request URL is too long.', remedy: 'Request fewer ids at a time.' },
  unsupported_media_type: { status: 415, summary: 'Unsupported content type.', remedy: 'Send `Content-Type: application/json` and no Content-Encoding.' },
  headers_too_large: { status: 431, summary: 'The request headers are too large.', remedy: 'Send less than 16 KiB of headers.' },
  validation_failed: { status: 422, summary: 'Some fields are invalid.', remedy: 'Fix the fields listed in `errors`.' },
  recipients_rejected: { status: 422, summary: 'Some recipients are not allowed.', remedy: 'Remove the recipients listed in `errors`, or change the rule named there.' },
  idempotency_key_reused: { status: 422, summary: 'This Idempotency-Key was used with another body.', remedy: 'Use a new key for a new send; repeat a send with exactly the same body.' },
  rate_limited: { status: 429, summary: 'Too many requests.', remedy: 'Wait `Retry-After` seconds; `violated_policies` names the limit.' },
  queue_full: { status: 429, summary: 'Too many messages are scheduled or queued.', remedy: 'Wait until some were submitted (see GET /api/v1/status), or ask the operator for a larger queue.' },
  recipient_rate_limited: { status: 429, summary: 'Too many messages to one number or number block.', remedy: 'Wait `Retry-After` seconds before sending to the numbers listed in `errors` again. `violated_policies` names the limit.' },
  internal_error: { status: 500, summary: 'Internal error.', remedy: 'Repeat with the same Idempotency-Key. If it persists, report it with the `request_id`.' },
  no_sender_available: { status: 503, summary: 'No enabled device can carry this message.', remedy: 'Connect or enable a device; see GET /api/v1/status.' },
  unavailable: { status: 503, summary: 'The service is temporarily unavailable.', remedy: 'Repeat after `Retry-After` seconds with the same Idempotency-Key.' },
  storage_damaged: { status: 503, summary: "The server's database is damaged.", remedy: 'The operator must repair the database or restore a backup. Then repeat with the same Idempotency-Key.' },
  outcome_unknown: { status: 503, summary: 'It is not known whether the send was stored.', remedy: 'Repeat with the same Idempotency-Key.' },
  storage_full: { status: 507, summary: "The server's disk is full.", remedy: 'Free space on the server; sending resumes without a restart.' },
} as const satisfies Record<string, { status: number; summary: string; remedy: string }> // prettier-ignore

export type ProblemCode = keyof typeof problems

/** What is wrong with one field of a body or one query parameter. */
export interface Fault {
  /** JSON pointer (RFC 6901) into the body. */
  pointer?: string
  parameter?: string
  code: FieldCode
  detail: string
  suggestion?: string
}

export type FieldCode =
  | 'required'
  | 'unknown_field'
  | 'wrong_type'
  | 'invalid_format'
  | 'out_of_range'
  | 'too_short'
  | 'too_long'
  | 'too_many_items'
  | 'not_in_enum'
  | 'duplicate_recipient'
  | 'invalid_number'
  | 'message_too_long'
  | 'not_encodable'
  | 'sender_not_available'
  | 'encoding_not_available'
  | 'invalid_unicode'
  | 'control_character'
  | 'blank'
  | 'repeated_parameter'
  | 'unknown_parameter'
  | 'recipient_opted_out'
  | 'destination_not_allowed'
  | 'premium_number'
  | 'recipient_rate_limited'

/**
 * Members of a problem besides its code; each one except `headers` becomes a member of the problem document.
 */
export interface RefusalExtra {
  detail?: string
  errors?: readonly Fault[]
  headers?: Readonly<Record<string, string>>
  [member: string]: unknown
}

/** An expected rejection. Any other error that is thrown is a bug and results in `internal_error`. */
export class Refusal extends Error {
  readonly code: ProblemCode
  readonly extra: RefusalExtra

  constructor(code: ProblemCode, extra: RefusalExtra = {}) {
    super(extra.detail ?? problems[code].summary)
    this.name = 'Refusal'
    this.code = code
    this.extra = extra
  }
}

/** Creates a rejection: `throw refuse('insufficient_balance', { required: 3, available: 1 })`. */
export const refuse = (code: ProblemCode, extra: RefusalExtra = {}): Refusal => new Refusal(code, extra)

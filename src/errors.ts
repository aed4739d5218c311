/**
 * The closed catalogue of what the service may refuse. `says` is true of every case and becomes the title;
 * `remedy` is what to do about it and stands on the problem's page under /docs/problems/.
 */
export const problems = {
  malformed_request: { status: 400, says: 'The request cannot be read.', remedy: 'Send one JSON object in valid UTF-8, and no body with GET.' },
  invalid_query: { status: 400, says: 'A query parameter is wrong.', remedy: 'Correct the parameters named in `errors`; each may stand once unless the reference says otherwise.' },
  invalid_cursor: { status: 400, says: 'The cursor is not valid.', remedy: 'Use `next_cursor` exactly as it was given, with the same key and no other parameter than `limit`; else start again without a cursor.' },
  invalid_header: { status: 400, says: 'A request header is wrong.', remedy: 'Send one Authorization header of the form `Bearer <API_KEY>`, and an Idempotency-Key of 1 to 255 visible ASCII characters.' },
  unauthenticated: { status: 401, says: 'The request carries no API key.', remedy: 'Send the header `Authorization: Bearer <API_KEY>`.' },
  invalid_token: { status: 401, says: 'The API key is not valid.', remedy: 'Check that the whole key was copied; it may also have expired or been revoked. Create a new one if in doubt.' },
  not_signed_in: { status: 401, says: 'Nobody is signed in.', remedy: 'Sign in to the console at its sign-in page, and try again.' },
  insufficient_balance: { status: 402, says: 'The balance does not cover this send.', remedy: 'Ask the operator to grant more SMS, or send fewer parts. The same Idempotency-Key works after a top-up.' },
  insufficient_scope: { status: 403, says: 'The API key may not do this.', remedy: 'Use a key that has the scope named in `WWW-Authenticate`.' },
  not_permitted: { status: 403, says: 'You may not do this.', remedy: 'Ask an owner of the account, or the operator.' },
  foreign_origin: { status: 403, says: 'The request does not come from the console.', remedy: 'Open the console at its own address; behind a proxy set `ONESIXTY_PUBLIC_URL` to that address.' },
  https_required: { status: 403, says: 'Signing in is possible over HTTPS, or on the machine itself.', remedy: 'Give the service a certificate (`ONESIXTY_TLS_CERT`, `ONESIXTY_TLS_KEY`) or put a reverse proxy with one in front of it and set `ONESIXTY_PUBLIC_URL` to its https address; or open an SSH tunnel and use http://localhost.' },
  sign_up_closed: { status: 403, says: 'Accounts are opened by invitation here.', remedy: 'Ask the operator for an invitation, or to set `ONESIXTY_SIGNUP`.' },
  account_suspended: { status: 403, says: 'The account is suspended.', remedy: 'Ask the operator to reactivate it. Reading works meanwhile; what waits stays where it is.' },
  not_found: { status: 404, says: 'There is nothing at this address.', remedy: 'Check the path: case and slashes count. The four operations are listed at /docs.' },
  method_not_allowed: { status: 405, says: 'This address does not take this method.', remedy: 'Use the method named in the `Allow` header.' },
  not_acceptable: { status: 406, says: 'The answer would not be acceptable to the client.', remedy: 'Accept `application/json` or `application/problem+json`, or send no Accept header.' },
  request_timeout: { status: 408, says: 'The request took too long to arrive.', remedy: 'Send headers and body without long pauses: by default headers within 5 s, the whole request within 10 s.' },
  idempotency_in_progress: { status: 409, says: 'A request with this Idempotency-Key is still being handled.', remedy: 'Repeat after `Retry-After` seconds; the answer of the first request will be given.' },
  link_not_valid: { status: 410, says: 'This link does not work any more.', remedy: 'Ask for a new one: links work once and not for ever. The operator makes one with `onesixty user reset-link`.' },
  payload_too_large: { status: 413, says: 'The request body is too large.', remedy: 'Send less (64 KiB by default); split a long list of recipients over several requests.' },
  uri_too_long: { status: 414, says: 'The address of the request is too long.', remedy: 'Ask for fewer ids at once.' },
  unsupported_media_type: { status: 415, says: 'The body is not in a form that is understood.', remedy: 'Send `Content-Type: application/json` and no Content-Encoding.' },
  headers_too_large: { status: 431, says: 'The request headers are too large.', remedy: 'Send less than 16 KiB of headers.' },
  validation_failed: { status: 422, says: 'Some fields are not valid.', remedy: 'Correct the fields named in `errors`; nothing is cleaned or cut silently.' },
  recipients_rejected: { status: 422, says: 'Some recipients may not be sent to.', remedy: 'Remove the recipients named in `errors`, or have the rule changed that is named there.' },
  idempotency_key_reused: { status: 422, says: 'This Idempotency-Key was used with another body.', remedy: 'Use a new key for a new send; repeat a send with exactly the same body.' },
  rate_limited: { status: 429, says: 'Too many requests.', remedy: 'Wait `Retry-After` seconds; `violated_policies` names the limit.' },
  queue_full: { status: 429, says: 'Too many messages are waiting.', remedy: 'Wait until some were handed over (see GET /api/v1/status), or ask the operator for a larger queue.' },
  recipient_rate_limited: { status: 429, says: 'Too many messages to one number or its neighbours.', remedy: 'Wait `Retry-After` seconds before sending to the numbers named in `errors` again; `violated_policies` names the limit.' },
  internal_error: { status: 500, says: 'The service made a mistake.', remedy: 'Report it with the `request_id`; repeat with the same Idempotency-Key.' },
  no_sender_available: { status: 503, says: 'No enabled device can carry this message.', remedy: 'Connect or enable a device; see GET /api/v1/status.' },
  unavailable: { status: 503, says: 'The service cannot answer just now.', remedy: 'Repeat after `Retry-After` seconds with the same Idempotency-Key.' },
  storage_damaged: { status: 503, says: 'The database of the service is damaged.', remedy: 'The operator must mend the database or restore a backup. Repeat then with the same Idempotency-Key.' },
  outcome_unknown: { status: 503, says: 'It is not known whether the send was stored.', remedy: 'Repeat with the same Idempotency-Key.' },
  storage_full: { status: 507, says: 'The disk of the service is full.', remedy: 'The operator must make room; sending then works again without a restart.' },
} as const satisfies Record<string, { status: number; says: string; remedy: string }> // prettier-ignore

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

/** What a problem carries beyond its code; every member but `headers` becomes a member of the problem document. */
export interface RefusalExtra {
  detail?: string
  errors?: readonly Fault[]
  headers?: Readonly<Record<string, string>>
  [member: string]: unknown
}

/** An expected refusal. Anything else that is thrown is a bug and answers `internal_error`. */
export class Refusal extends Error {
  readonly code: ProblemCode
  readonly extra: RefusalExtra

  constructor(code: ProblemCode, extra: RefusalExtra = {}) {
    super(extra.detail ?? problems[code].says)
    this.name = 'Refusal'
    this.code = code
    this.extra = extra
  }
}

/** Refuses: `throw refuse('insufficient_balance', { required: 3, available: 1 })`. */
export const refuse = (code: ProblemCode, extra: RefusalExtra = {}): Refusal => new Refusal(code, extra)

import type { ProblemCode, RefusalExtra } from '../../runtime/errors.ts'

/** Details of a typical case, where the text of the catalogue is not sufficient. */
export const problemExamples: Readonly<Partial<Record<ProblemCode, RefusalExtra & { isSend?: boolean }>>> = {
  malformed_request: { detail: 'The body is not valid JSON (position 41).', isSend: true },
  invalid_query: {
    errors: [
      {
        parameter: 'stauts',
        code: 'unknown_parameter',
        detail: 'Unknown parameter `stauts`. Did you mean `status`?',
        suggestion: 'status',
      },
    ],
  },
  invalid_header: { detail: 'More than one Authorization header.', isSend: true },
  insufficient_balance: {
    detail: '3 SMS required, 1 available.',
    required: 3,
    available: 1,
    isSend: true,
  },
  insufficient_scope: { detail: 'The key needs the scope messages:send.', isSend: true },
  account_suspended: { isSend: true },
  method_not_allowed: { detail: 'Use POST.' },
  idempotency_in_progress: { isSend: true },
  payload_too_large: { isSend: true },
  unsupported_media_type: { detail: 'Send the header `Content-Type: application/json`.', isSend: true },
  validation_failed: {
    errors: [
      {
        pointer: '/to/1',
        code: 'invalid_format',
        detail: 'Write the number in E.164: a plus sign, the calling code and the national number.',
        suggestion: '+4915112345678',
      },
      {
        pointer: '/txt',
        code: 'unknown_field',
        detail: 'Unknown field. Did you mean `text`?',
        suggestion: 'text',
      },
      { pointer: '/text', code: 'required', detail: '`text` is required.' },
    ],
    isSend: true,
  },
  recipients_rejected: {
    errors: [{ pointer: '/to', code: 'recipient_opted_out', detail: 'The recipient opted out.' }],
    isSend: true,
  },
  idempotency_key_reused: { isSend: true },
  rate_limited: {
    detail: 'This account is limited to 600 sends per minute. Wait 12 s.',
    violated_policies: ['send'],
    isSend: true,
  },
  queue_full: {
    detail: '10000 messages are scheduled or queued. The limit is 10000.',
    violated_policies: ['queue'],
    isSend: true,
  },
  recipient_rate_limited: {
    detail: 'Too many authentication messages to these numbers within the last 10 minutes. Wait 418 s.',
    violated_policies: ['authentication-messages'],
    errors: [
      {
        pointer: '/to',
        code: 'recipient_rate_limited',
        detail: 'Too many authentication messages to this number.',
      },
    ],
    isSend: true,
  },
  no_sender_available: { isSend: true },
  outcome_unknown: { isSend: true },
  storage_full: { isSend: true },
  storage_damaged: {},
}

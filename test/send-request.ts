import type { Ids } from '../src/runtime/ids.ts'
import type { SendRequest } from '../src/messages/send/send-request.ts'

const dayMs = 86_400_000

/** A send of one part that says "Hello" to a number of Germany from account `acc_a`, and is valid for a day; with whatever is asked for besides. */
export function sendRequest(
  { ids, nowMs }: { ids: Ids; nowMs: number },
  { to = ['+4915112345678'], ...more }: Partial<SendRequest> & { to?: readonly string[] } = {},
): SendRequest {
  const recipients = more.recipients ?? to.map((number) => ({ to: number, country: 'DE' }))
  return {
    sendId: ids('snd'),
    messageIds: recipients.map(() => ids('msg')),
    accountId: 'acc_a',
    mode: 'live',
    keyId: 'key_a',
    dailyCap: null,
    queueLimit: 0,
    createdAt: nowMs,
    idempotency: null,
    recipients,
    from: null,
    category: 'transactional',
    text: 'Hello',
    encoding: 'gsm7',
    units: 5,
    parts: 1,
    smartEncodingApplied: false,
    onUnknown: 'stop',
    clientReference: null,
    metadata: '{}',
    expiresAt: (more.sendAt ?? nowMs) + dayMs,
    warnings: [],
    ...more,
  }
}

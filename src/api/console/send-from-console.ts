import type { Static } from 'typebox'
import type { Caller } from '../../accounts/authenticator.ts'
import { refuse } from '../../runtime/errors.ts'
import type { SendSchema } from '../v1/send-answer.ts'
import { sendOperation } from '../v1/send.ts'
import type { AccountContext } from './call.ts'

/** What `POST /api/v1/send` answers. */
export type SendAnswer = Static<typeof SendSchema>

/**
 * Counts one request towards the limit of the account: what is typed and sent, or a page of a table, as programs send a hundred numbers in one
 * request. What a text would cost is asked while it is typed: that counts for nothing. Refuses what goes beyond the limit.
 */
export function countSend({ ports }: Pick<AccountContext, 'ports'>, caller: Caller): void {
  const refusal = ports.limits.check(caller, 'send')?.refusal ?? null
  if (refusal !== null) throw refusal
}

/**
 * Sends a body as the person who asks, by the operation that programs use: same checks, same refusals, same money. `key` names the send:
 * what came with it before is not sent again. Without one nothing may be sent, and the body must be a dry run.
 */
export async function sendFromConsole(
  { ports, requestId }: Pick<AccountContext, 'ports' | 'requestId'>,
  caller: Caller,
  body: object,
  key: string | null,
): Promise<SendAnswer> {
  // Reading works while an account is suspended, sending does not.
  if (caller.accountState !== 'active') throw refuse('account_suspended')
  const answer = await sendOperation.handle(ports.send, {
    caller,
    requestId,
    rawQuery: '',
    body: key === null ? { ...body, dry_run: true } : body,
    headers: key === null ? {} : { 'idempotency-key': `console-${key}` },
  })
  return (typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body) as SendAnswer
}

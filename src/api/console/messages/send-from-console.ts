import type { Static } from 'typebox'
import type { Caller } from '../../../accounts/keys/authenticator.ts'
import { refuse } from '../../../runtime/errors.ts'
import { readIdempotency } from '../../v1/idempotency-key.ts'
import { renderReplay, type SendSchema, writeSendAnswer } from '../../v1/send-answer.ts'
import { isDryRun } from '../../v1/send.ts'
import type { AccountContext } from '../core/call.ts'

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
 * Sends a body as the person who asks, by the way that programs use: same checks, same refusals, same money. `key` names the send:
 * what came with it before is not sent again. Without one nothing may be sent, and the body must be a dry run.
 */
export async function sendFromConsole(
  { ports: { sender } }: Pick<AccountContext, 'ports'>,
  caller: Caller,
  given: object,
  key: string | null,
): Promise<SendAnswer> {
  // Reading works while an account is suspended, sending does not.
  if (caller.accountState !== 'active') throw refuse('account_suspended')
  const body = key === null ? { ...given, dry_run: true } : given
  if (isDryRun(body))
    return read(await sender.dryRun(caller, body, (request) => writeSendAnswer(request, true)))
  const idempotency = readIdempotency({ 'idempotency-key': `console-${key}` }, body)
  const sent = await sender.send(caller, body, idempotency, (request) => writeSendAnswer(request, false))
  return sent.kind === 'accepted' ? read(sent.answer) : (renderReplay(sent.replay) as SendAnswer)
}

const read = (answer: string): SendAnswer => JSON.parse(answer) as SendAnswer

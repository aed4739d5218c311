import type { Static } from 'typebox'
import type { Caller } from '../../../accounts/keys/authenticator.ts'
import { refuse } from '../../../runtime/errors.ts'
import { renderReplay, type SendSchema, writeSendAnswer } from '../../v1/send-answer.ts'
import { isDryRun } from '../../v1/send.ts'
import { fingerprintOf } from '../../../sending/idempotency.ts'
import type { AccountContext } from '../core/call.ts'

/** Response of `POST /api/v1/send`. */
export type SendAnswer = Static<typeof SendSchema>

/**
 * Counts one request for the rate limit of the account: a single send, or a chunk of a table, just as clients
 * send a hundred numbers in one request. Prices requested while typing do not count. Refuses what exceeds the
 * limit.
 */
export function countSend({ ports }: Pick<AccountContext, 'ports'>, caller: Caller): void {
  const refusal = ports.limits.check(caller, 'send')?.refusal ?? null
  if (refusal !== null) throw refusal
}

/**
 * Sends a body as the requesting user, with the same checks, refusals and charges as the API. `key`
 * identifies the send: the same key sends only once. Without a key only a dry run is possible.
 */
export async function sendFromConsole(
  { ports: { sender } }: Pick<AccountContext, 'ports'>,
  caller: Caller,
  given: object,
  key: string | null,
): Promise<SendAnswer> {
  // While an account is suspended, reads work and sends do not.
  if (caller.accountState !== 'active') throw refuse('account_suspended')
  const body = key === null ? { ...given, dry_run: true } : given
  if (isDryRun(body))
    return read(
      await sender.dryRun(caller, body, (request, routing) => writeSendAnswer(request, true, routing)),
    )
  const idempotency = { key: `console-${key}`, fingerprint: fingerprintOf(body) }
  const sent = await sender.send(caller, body, idempotency, (request) => writeSendAnswer(request, false))
  return sent.kind === 'accepted' ? read(sent.answer) : (renderReplay(sent.replay) as SendAnswer)
}

const read = (answer: string): SendAnswer => JSON.parse(answer) as SendAnswer

import type { Submission } from '../../connector.ts'
import { authorize } from './authorize.ts'
import { buildRequest, type BuiltRequest, fillerOf, type ProviderAccount } from './build-request.ts'
import { type CallbackUrls, messageValues } from './message-values.ts'

/**
 * Builds the request that submits a message. With `mask` secrets are shown by their names: such a request is for people.
 * Throws a `RequestError` when it cannot be made.
 */
export function buildSend(
  account: ProviderAccount,
  submission: Submission,
  given: { nowMs: number; urls: CallbackUrls; token: string | null; mask?: boolean },
): BuiltRequest {
  const { declaration } = account
  const { nowMs, urls, token, mask = false } = given
  const filler = fillerOf(account, messageValues(submission, { nowMs, urls }), mask)
  const built = buildRequest(account, declaration.send, filler)
  const key = declaration.idempotency?.header
  const request =
    key === undefined
      ? built
      : { ...built, headers: { ...built.headers, [key.toLowerCase()]: submission.attemptId } }
  return authorize(request, declaration.auth, { filler, mask, nowMs, token })
}

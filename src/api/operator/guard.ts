import type { FastifyRequest } from 'fastify'
import { findOperatorToken, type OperatorCaller } from '../../accounts/keys/operator-tokens.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Config } from '../../config.ts'
import { refuse } from '../../runtime/errors.ts'
import type { SharedCounts } from '../../runtime/shared-counts.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { authenticate, type AuthenticateDeps, challenge } from '../edge/authenticate.ts'
import { checkLength, checkMedia } from '../edge/guard.ts'
import { type Quota, RateLimiter, rateLimitHeaders, type Verdict } from '../../runtime/rate-limiter.ts'
import { createRemoteAddress } from '../edge/remote-address.ts'
import type { OperatorOperation } from './operation.ts'
import { createTokenUses, type TokenUsesDeps } from './token-uses.ts'

export interface OperatorGuardDeps {
  readAtDoor: Db
  writer: Writer
  log: TokenUsesDeps['log']
  clock: Pick<Clock, 'now' | 'monotonicMs'>
  /** Shared counts of several nodes; omitted on a single node. */
  counts?: SharedCounts
  config: Pick<Config, 'maxBodyBytes' | 'trustedProxies' | 'failedAuthPerMinute' | 'operatorPerMinute'>
}

export interface OperatorGuard {
  /**
   * Checks a request to the operator API before its operation, in the order of the guard of `/api/v1`. Throws
   * a `Refusal`.
   */
  admit(
    operation: Pick<OperatorOperation, 'method' | 'scope'>,
    request: FastifyRequest,
  ): Promise<OperatorCaller>
  /** Checks the token again after the body was read, as the guard of `/api/v1` does. */
  admitAgain(operation: Pick<OperatorOperation, 'method'>, request: FastifyRequest): Promise<void>
}

/** Creates the checks before each operation. */
export function createOperatorGuard(deps: OperatorGuardDeps): OperatorGuard {
  const { config } = deps
  const credentials = credentialsOf(deps)
  const limiter = new RateLimiter({ clock: deps.clock, shared: shared(deps, 'operator-calls') })
  const quota = { perMinute: config.operatorPerMinute, burst: config.operatorPerMinute }
  return {
    async admit({ method, scope }, { raw, progress }) {
      if (method === 'POST') checkLength(raw.headers, config.maxBodyBytes)
      const caller = await authenticate(credentials, raw)
      progress.tokenId = caller.tokenId
      const hasScope = scope === 'read' || caller.scope === 'write'
      if (quota.perMinute > 0) {
        const verdict = hasScope ? limiter.take(caller.tokenId, quota) : limiter.peek(caller.tokenId, quota)
        progress.headers = rateLimitHeaders('operator', quota, verdict)
        if (hasScope) refuseTooMany(quota, verdict)
      }
      if (!hasScope)
        throw refuse('insufficient_scope', {
          title: 'The API token lacks permission for this.',
          detail: `The token needs the scope ${scope}. Create one with \`onesixty operator token create\`.`,
          ...challenge(`error="insufficient_scope", scope="${scope}"`),
        })
      checkMedia(method, raw.headers)
      return caller
    },
    // The scope of a token never changes.
    admitAgain: async ({ method }, { raw }) =>
      method === 'GET' ? undefined : void (await authenticate(credentials, raw)),
  }
}

const shared = ({ counts }: OperatorGuardDeps, kind: string) =>
  counts === undefined ? undefined : { counts, kind }

function credentialsOf(deps: OperatorGuardDeps): AuthenticateDeps<OperatorCaller> {
  const { config, clock, readAtDoor } = deps
  const noteUse = createTokenUses(deps)
  return {
    authenticator: {
      async authenticate(token) {
        const found = await findOperatorToken(readAtDoor, token, clock.now())
        if (found === null) return null
        const { tokenId, scope, usedFirstIn: minute } = found
        if (minute !== null) noteUse({ tokenId, minute })
        return { tokenId, scope }
      },
    },
    remoteAddress: createRemoteAddress(config.trustedProxies),
    failures: new RateLimiter({ clock, shared: shared(deps, 'wrong-tokens') }),
    failedAuthPerMinute: config.failedAuthPerMinute,
    says: {
      missing: {
        title: 'The request has no API token.',
        detail: 'Send the header `Authorization: Bearer <OPERATOR_TOKEN>`.',
      },
      invalid: {
        title: 'The API token is invalid.',
        detail:
          'Use an API token of the operator (`onesixty operator token create`), not an API key of an account. The token may also have expired or been revoked.',
      },
    },
  }
}

function refuseTooMany({ perMinute }: Quota, { violated, retryAfterSeconds }: Verdict): void {
  if (violated === null) return
  throw refuse('rate_limited', {
    detail: `This token is limited to ${perMinute} requests per minute. Wait ${retryAfterSeconds} s.`,
    violated_policies: ['operator'],
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}

import type { FastifyRequest } from 'fastify'
import { findOperatorToken, type OperatorCaller } from '../../accounts/keys/operator-tokens.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Config } from '../../config.ts'
import { refuse } from '../../runtime/errors.ts'
import type { SharedCounts } from '../../runtime/shared-counts.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { authenticate, type AuthenticateDeps, challenge } from '../authenticate.ts'
import { checkLength, checkMedia } from '../guard.ts'
import { type Quota, RateLimiter, rateLimitHeaders, type Verdict } from '../../runtime/rate-limiter.ts'
import { createRemoteAddress } from '../remote-address.ts'
import type { OperatorOperation } from './operation.ts'
import { createTokenUses, type TokenUsesDeps } from './token-uses.ts'

export interface OperatorGuardDeps {
  readAtDoor: Db
  writer: Writer
  log: TokenUsesDeps['log']
  clock: Pick<Clock, 'now' | 'monotonicMs'>
  /** Of several nodes; left out where one counts for itself. */
  counts?: SharedCounts
  config: Pick<Config, 'maxBodyBytes' | 'trustedProxies' | 'failedAuthPerMinute' | 'operatorPerMinute'>
}

export interface OperatorGuard {
  /** What stands before an operation of the operator's interface, in the order of checks of the other one. Throws a `Refusal`. */
  admit(
    operation: Pick<OperatorOperation, 'method' | 'scope'>,
    request: FastifyRequest,
  ): Promise<OperatorCaller>
  /** Checks the token once more when the body has been read, as the other one does. */
  admitAgain(operation: Pick<OperatorOperation, 'method'>, request: FastifyRequest): Promise<void>
}

/** Gives the checks that stand before each operation. */
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
      const mayDo = scope === 'read' || caller.scope === 'write'
      if (quota.perMinute > 0) {
        const verdict = mayDo ? limiter.take(caller.tokenId, quota) : limiter.peek(caller.tokenId, quota)
        progress.headers = rateLimitHeaders('operator', quota, verdict)
        if (mayDo) refuseTooMany(quota, verdict)
      }
      if (!mayDo)
        throw refuse('insufficient_scope', {
          title: 'The token may not do this.',
          detail: `The token needs the scope ${scope}; make one with \`onesixty operator token create\`.`,
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
        title: 'The request carries no token of the operator.',
        detail: 'Send the header `Authorization: Bearer <OPERATOR_TOKEN>`.',
      },
      invalid: {
        title: 'The token is not valid.',
        detail:
          'It takes a token of the operator (`onesixty operator token create`), no API key. One may also have expired or been revoked.',
      },
    },
  }
}

function refuseTooMany({ perMinute }: Quota, { violated, retryAfterSeconds }: Verdict): void {
  if (violated === null) return
  throw refuse('rate_limited', {
    detail: `This token may ask ${perMinute} times a minute; wait ${retryAfterSeconds} s.`,
    violated_policies: ['operator'],
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}

import { findOperatorToken, type OperatorCaller } from '../../accounts/keys/operator-tokens.ts'
import type { Config } from '../../config.ts'
import { limitCall } from '../../runtime/call-limit.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type Refusal, refuse } from '../../runtime/errors.ts'
import { RateLimiter } from '../../runtime/rate-limiter.ts'
import type { SharedCounts } from '../../runtime/shared-counts.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { type AuthenticateDeps, challenge } from '../edge/authenticate.ts'
import { FailedAuthentications } from '../edge/failed-authentications.ts'
import { createGuard, type Guard } from '../edge/guard.ts'
import { createRemoteAddress } from '../edge/remote-address.ts'
import type { OperatorOperation } from './operation.ts'
import { createTokenUses, type TokenUsesDeps } from './token-uses.ts'
import { ownCommandOverNetwork } from '../../process/own-command.ts'

export interface OperatorGuardDeps {
  priorityRead: Db
  writer: Writer
  log: TokenUsesDeps['log']
  clock: Pick<Clock, 'now' | 'monotonicMs'>
  /** Shared counts of several nodes; omitted on a single node. */
  counts?: SharedCounts
  config: Pick<Config, 'maxBodyBytes' | 'trustedProxies' | 'failedAuthPerMinute' | 'operatorPerMinute'>
}

type Guarded = Pick<OperatorOperation, 'method' | 'scope'>

/** Creates the checks before each operation of the operator API. */
export function createOperatorGuard(deps: OperatorGuardDeps): Guard<OperatorCaller, Guarded> {
  const { clock, config, counts } = deps
  const sharedBy = (kind: string) => (counts === undefined ? undefined : { counts, kind })
  const remoteAddress = createRemoteAddress(config.trustedProxies)
  const limiter = new RateLimiter({ clock, shared: sharedBy('operator-calls') })
  const limit = {
    policy: 'operator',
    quota: { perMinute: config.operatorPerMinute, burst: config.operatorPerMinute },
    subject: 'This token',
    calls: ['request', 'requests'],
  } as const
  return createGuard<OperatorCaller, Guarded>({
    authenticator: tokenAuthenticator(deps),
    remoteAddress,
    failures: new FailedAuthentications({
      clock,
      remoteAddress,
      perMinute: config.failedAuthPerMinute,
      shared: sharedBy('wrong-tokens'),
    }),
    summary,
    maxBodyBytes: config.maxBodyBytes,
    logged: ({ tokenId }) => ({ operator_token: tokenId }),
    fault: scopeFault,
    limit: ({ tokenId }, _operation, how) => limitCall(limiter, tokenId, limit, how),
  })
}

/** Returns the authenticator of API tokens, which records their use. */
function tokenAuthenticator(deps: OperatorGuardDeps): AuthenticateDeps<OperatorCaller>['authenticator'] {
  const noteUse = createTokenUses(deps)
  return {
    async authenticate(token) {
      const found = await findOperatorToken(deps.priorityRead, token, deps.clock.now())
      if (found === null) return null
      const { tokenId, scope, usedFirstIn: minute } = found
      if (minute !== null) noteUse({ tokenId, minute })
      return { tokenId, scope }
    },
  }
}

function scopeFault(caller: OperatorCaller, { scope }: Guarded): Refusal | null {
  if (scope === 'read' || caller.scope === 'write') return null
  return refuse('insufficient_scope', {
    title: 'The API token lacks permission for this.',
    detail: `The token needs the scope ${scope}. Create one with \`${ownCommandOverNetwork()} operator token create\`.`,
    ...challenge(`error="insufficient_scope", scope="${scope}"`),
  })
}

const summary = {
  missing: {
    title: 'The request has no API token.',
    detail: 'Send the header `Authorization: Bearer <OPERATOR_TOKEN>`.',
  },
  invalid: {
    title: 'The API token is invalid.',
    detail: `Use an API token of the operator (\`${ownCommandOverNetwork()} operator token create\`), not an API key of an account. The token may also have expired or been revoked.`,
  },
}

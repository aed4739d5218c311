import type { Scope } from '../../accounts/keys/api-keys.ts'
import type { Caller } from '../../accounts/keys/authenticator.ts'
import type { Config } from '../../config.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type Refusal, refuse } from '../../runtime/errors.ts'
import type { SharedCounts } from '../../runtime/shared-counts.ts'
import type { AccountLimits } from '../../sending/account-limits.ts'
import { type AuthenticateDeps, challenge } from '../edge/authenticate.ts'
import { FailedAuthentications } from '../edge/failed-authentications.ts'
import { createGuard, type Guard } from '../edge/guard.ts'
import { createRemoteAddress } from '../edge/remote-address.ts'
import type { AnyApiOperation } from './operation.ts'

export interface ApiGuardDeps {
  authenticator: AuthenticateDeps<Caller>['authenticator']
  clock: Pick<Clock, 'monotonicMs'>
  /** Shared counts of several nodes; omitted on a single node. */
  counts?: SharedCounts
  limits: Pick<AccountLimits, 'check'>
  config: Pick<Config, 'maxBodyBytes' | 'trustedProxies' | 'failedAuthPerMinute'>
}

type Guarded = Pick<AnyApiOperation, 'method' | 'scope' | 'kind'>

/** Creates the checks before each operation of `/api/v1`. */
export function createApiGuard(deps: ApiGuardDeps): Guard<Caller, Guarded> {
  const { authenticator, clock, config, counts, limits } = deps
  const remoteAddress = createRemoteAddress(config.trustedProxies)
  return createGuard<Caller, Guarded>({
    authenticator,
    remoteAddress,
    failures: new FailedAuthentications({
      clock,
      remoteAddress,
      perMinute: config.failedAuthPerMinute,
      shared: counts === undefined ? undefined : { counts, kind: 'wrong-keys' },
    }),
    maxBodyBytes: config.maxBodyBytes,
    logged: ({ accountId, keyId }) => ({ account: accountId, key: keyId }),
    fault: authorizationFault,
    limit: (caller, { kind }, how) => limits.check(caller, kind, how),
  })
}

/**
 * Returns why the caller is not allowed to do this: the key lacks the scope, or the account is suspended and
 * the operation sends. Null when it is allowed.
 */
function authorizationFault(
  caller: Caller,
  { scope, kind }: { scope: Scope; kind: 'send' | 'read' },
): Refusal | null {
  if (!caller.scopes.has(scope)) {
    const detail = `The key needs the scope ${scope}.`
    return refuse('insufficient_scope', {
      detail,
      ...challenge(`error="insufficient_scope", scope="${scope}"`),
    })
  }
  return kind === 'send' && caller.accountState !== 'active' ? refuse('account_suspended') : null
}

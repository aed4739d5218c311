import type { Scope } from '../../accounts/keys/api-keys.ts'
import type { Caller } from '../../accounts/keys/authenticator.ts'
import type { Call, Operation } from '../edge/operation.ts'

/** One operation of `/api/v1`. `routes.ts` passes its dependencies in. */
export interface ApiOperation<Deps> extends Operation<Deps, Caller, Scope> {
  path: `/api/v1/${string}`
  /** Rate limit that applies. */
  kind: 'send' | 'read'
}

export type AnyApiOperation = ApiOperation<never>

/** One request with an API key. */
export type ApiCall = Call<Caller>

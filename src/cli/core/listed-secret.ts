import { rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import type { Output } from './command.ts'

/** An API key or token in a list. */
interface ListedSecret {
  id: string
  name: string
  lastFour: string
  state: 'active' | 'expired' | 'revoked'
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
}

/** Returns the members that keys and tokens share in the JSON of a list. */
export const listedSecret = (of: ListedSecret) => ({
  id: of.id,
  name: of.name,
  last_four: of.lastFour,
  state: of.state,
  created_at: rfc3339(of.createdAt),
  expires_at: rfc3339OrNull(of.expiresAt),
  revoked_at: rfc3339OrNull(of.revokedAt),
  last_used_at: rfc3339OrNull(of.lastUsedAt),
})

/** Formats a key or token in one line; `kind` is its mode or scope. */
export const secretLine = ({ id, lastFour, state, lastUsedAt, name }: ListedSecret, kind: string): string =>
  `${id}  ${kind}  …${lastFour}  ${state.padEnd(7)}  last used ${rfc3339OrNull(lastUsedAt) ?? 'never'}  ${name}`

/** Returns the output of a revocation; `changed` is false when it was already revoked. */
export const revoked = (id: string, changed: boolean): Output => ({
  json: { id, state: 'revoked', changed },
  text: `${id} is ${changed ? 'now' : 'already'} revoked.`,
})

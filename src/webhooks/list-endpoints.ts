import type { Db } from '../storage/seam/dialect.ts'
import type { Mode } from '../storage/tables/schema.ts'
import { formerSecretsOf } from './former-secrets.ts'
import type { FormerSecret } from '../storage/tables/json-columns.ts'

export interface ListedEndpoint {
  id: string
  accountId: string
  url: string
  /** Empty: all. */
  types: string[]
  mode: Mode | null
  state: 'enabled' | 'disabled'
  disabledBecause: 'person' | 'gone' | 'failing' | null
  failingSince: number | null
  /** Reason of the last failure, while the endpoint fails. */
  failingBecause: string | null
  /** Until when more than one secret signs; null when only the current one does. */
  previousSecretUntil: number | null
  createdAt: number
  updatedAt: number
}

/** Returns the endpoints of an account, oldest first. Secrets cannot be shown again. */
export async function listEndpoints(
  read: Db,
  { accountId, nowMs }: { accountId: string; nowMs: number },
): Promise<ListedEndpoint[]> {
  const rows = await read
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('state', '<>', 'removed')
    .orderBy('id')
    .execute()
  const types = await read
    .selectFrom('webhook_endpoint_types')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('type')
    .execute()
  const typesOf = Map.groupBy(types, ({ endpoint_id }) => endpoint_id)
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    types: (typesOf.get(row.id) ?? []).map(({ type }) => type),
    mode: row.mode,
    state: row.state as ListedEndpoint['state'],
    disabledBecause: row.disabled_because,
    failingSince: row.failing_since,
    failingBecause: row.failing_because,
    previousSecretUntil: lastEnd(formerSecretsOf(row), nowMs),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }))
}

const lastEnd = (former: readonly FormerSecret[], nowMs: number): number | null => {
  const ends = former.map(({ until }) => until).filter((until) => until > nowMs)
  return ends.length === 0 ? null : Math.max(...ends)
}

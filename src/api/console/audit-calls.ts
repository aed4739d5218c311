import { Type } from 'typebox'
import type { Db } from '../../storage/dialect.ts'
import { defineCall } from './call.ts'

/** Who did what, and when. */
export interface AuditLine {
  id: string
  accountId: string | null
  accountName: string | null
  /** Name and address of a person, or the tool that did it. */
  actor: string
  action: string
  detail: Record<string, unknown>
  at: number
}

const pageSize = 100
const id = Type.String({ maxLength: 40 })

export const auditCalls = {
  /** The newest first. */
  'operator/audit': defineCall({
    kind: 'read',
    access: 'operator',
    input: Type.Object(
      {
        beforeId: Type.Optional(id),
        accountId: Type.Optional(id),
        actor: Type.Optional(id),
        action: Type.Optional(Type.String({ pattern: '^[a-z_.]{1,60}$' })),
        fromMs: Type.Optional(Type.Integer()),
        toMs: Type.Optional(Type.Integer()),
      },
      { additionalProperties: false },
    ),
    handle: ({ read }, filter): Promise<{ lines: AuditLine[]; nextBeforeId: string | null }> =>
      readAudit(read, filter),
  }),
}

async function readAudit(
  db: Db,
  filter: {
    beforeId?: string
    accountId?: string
    actor?: string
    action?: string
    fromMs?: number
    toMs?: number
  },
): Promise<{ lines: AuditLine[]; nextBeforeId: string | null }> {
  let query = db
    .selectFrom('audit_log')
    .leftJoin('accounts', 'accounts.id', 'audit_log.account_id')
    .leftJoin('users', 'users.id', 'audit_log.actor')
    .select([
      'audit_log.id',
      'account_id',
      'accounts.name as account',
      'actor',
      'users.name as person',
      'users.email',
    ])
    .select(['action', 'detail', 'audit_log.created_at as at'])
    .orderBy('audit_log.id', 'desc')
    .limit(pageSize + 1)
  const { beforeId, accountId, actor, action, fromMs, toMs } = filter
  if (beforeId !== undefined) query = query.where('audit_log.id', '<', beforeId)
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  if (actor !== undefined) query = query.where('actor', '=', actor)
  if (action !== undefined) query = query.where('action', '=', action)
  if (fromMs !== undefined) query = query.where('audit_log.created_at', '>=', fromMs)
  if (toMs !== undefined) query = query.where('audit_log.created_at', '<', toMs)
  const found = await query.execute()
  const rows = found.slice(0, pageSize)
  return {
    lines: rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      accountName: row.account,
      actor: row.person === null ? row.actor : `${row.person} (${row.email})`,
      action: row.action,
      detail: JSON.parse(row.detail) as Record<string, unknown>,
      at: row.at,
    })),
    nextBeforeId: found.length > pageSize ? (rows.at(-1)?.id ?? null) : null,
  }
}

import { Type } from 'typebox'
import type { Db } from '../../../storage/seam/dialect.ts'
import { defineCall } from '../core/call.ts'

/** An entry of the audit log. */
export interface AuditLine {
  id: string
  accountId: string | null
  accountName: string | null
  /** Name and e-mail address of a user, name and ID of a token, or the tool. */
  actor: string
  action: string
  detail: Record<string, unknown>
  at: number
}

const pageSize = 100
const id = Type.String({ maxLength: 40 })

export const auditCalls = {
  /** Returns entries of the audit log, newest first. */
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
    .leftJoin('operator_tokens', 'operator_tokens.id', 'audit_log.actor')
    .select([
      'audit_log.id',
      'account_id',
      'accounts.name as account',
      'audit_log.actor',
      'users.name as person',
      'users.email',
      'operator_tokens.name as token',
    ])
    .select(['action', 'detail', 'audit_log.created_at as at'])
    .orderBy('audit_log.id', 'desc')
    .limit(pageSize + 1)
  const { beforeId, accountId, actor, action, fromMs, toMs } = filter
  if (beforeId !== undefined) query = query.where('audit_log.id', '<', beforeId)
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  if (actor !== undefined) query = query.where('audit_log.actor', '=', actor)
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
      actor: nameOfActor(row),
      action: row.action,
      detail: JSON.parse(row.detail) as Record<string, unknown>,
      at: row.at,
    })),
    nextBeforeId: found.length > pageSize ? (rows.at(-1)?.id ?? null) : null,
  }
}

const nameOfActor = (row: {
  actor: string
  person: string | null
  email: string | null
  token: string | null
}): string =>
  row.person !== null
    ? `${row.person} (${row.email})`
    : row.token !== null
      ? `${row.token} (${row.actor})`
      : row.actor

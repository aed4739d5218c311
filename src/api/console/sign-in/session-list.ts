import type { UserContext } from '../core/call.ts'

export interface ListedSession {
  id: string
  /** True for the current session. */
  isThis: boolean
  address: string | null
  /** User agent of the browser. */
  agent: string | null
  startedAt: number
  /** Time of the last extension, at most once a day when used. */
  prolongedAt: number
  endsAt: number
}

const maxListed = 50

/** Returns the active sessions of the user, newest first. */
export async function listSessions({ read, user, sessionId, clock }: UserContext): Promise<ListedSession[]> {
  const rows = await read
    .selectFrom('auth_sessions')
    .select(['id', 'ipAddress', 'userAgent', 'createdAt', 'updatedAt', 'expiresAt'])
    .where('userId', '=', user.id)
    .where('expiresAt', '>', new Date(clock.now()).toISOString())
    .orderBy('createdAt', 'desc')
    .limit(maxListed)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    isThis: row.id === sessionId,
    address: row.ipAddress,
    agent: row.userAgent,
    startedAt: Date.parse(row.createdAt),
    prolongedAt: Date.parse(row.updatedAt),
    endsAt: Date.parse(row.expiresAt),
  }))
}

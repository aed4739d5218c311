import type { UserContext } from '../core/call.ts'

export interface ListedSession {
  id: string
  /** The one that asks. */
  isThis: boolean
  address: string | null
  /** What the browser says that it is. */
  agent: string | null
  startedAt: number
  /** When it was last prolonged, which use does once a day. */
  prolongedAt: number
  endsAt: number
}

const maxListed = 50

/** The own sessions that still work, newest first. */
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

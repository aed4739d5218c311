import type { CallContext, ConsoleUser } from './call.ts'
import { sessionCookie } from './auth.ts'

/** Who is signed in by the cookie of a request; null when nobody is, or when the session has ended. */
export async function readSession({
  auth,
  headers,
  read,
}: Pick<CallContext, 'auth' | 'headers' | 'read'>): Promise<{ sessionId: string; user: ConsoleUser } | null> {
  // Without the cookie there is no need to load what reads it.
  if (!(headers.get('cookie') ?? '').includes(`${sessionCookie}=`)) return null
  const found = await (await auth()).api.getSession({ headers })
  if (found === null) return null
  const user = await read
    .selectFrom('users')
    .select(['id', 'email', 'name', 'is_operator'])
    .where('id', '=', found.user.id)
    .executeTakeFirst()
  if (user === undefined) return null
  const { id, email, name, is_operator: isOperator } = user
  return { sessionId: found.session.id, user: { id, email, name, isOperator: isOperator === 1 } }
}

import { lockUser } from '../../../accounts/people/passwords.ts'
import { refuse } from '../../../runtime/errors.ts'
import type { Tx } from '../../../storage/seam/dialect.ts'
import type { CallContext, ConsoleUser, UserContext } from '../core/call.ts'
import { sessionCookie } from '../core/auth.ts'

/**
 * Who is signed in by the cookie of a request; null when nobody is, or when the session has ended. Use prolongs it, once a day: then the
 * answer gives the browser the cookie anew. Where it cannot, nothing is prolonged, for a cookie that ends before its session does.
 */
export async function readSession(
  { auth, headers, read, setCookie }: Pick<CallContext, 'auth' | 'headers' | 'read' | 'setCookie'>,
  { canProlong = true } = {},
): Promise<{ sessionId: string; user: ConsoleUser } | null> {
  // Without the cookie there is no need to load what reads it.
  if (!(headers.get('cookie') ?? '').includes(`${sessionCookie}=`)) return null
  const query = { disableRefresh: !canProlong }
  const answer = await (await auth()).api.getSession({ headers, query, returnHeaders: true })
  const found = answer.response
  if (found === null) return null
  for (const cookie of answer.headers.getSetCookie()) setCookie(cookie)
  const user = await read
    .selectFrom('users')
    .select(['id', 'email', 'name', 'is_operator'])
    .where('id', '=', found.user.id)
    .executeTakeFirst()
  if (user === undefined) return null
  const { id, email, name, is_operator: isOperator } = user
  return { sessionId: found.session.id, user: { id, email, name, isOperator: isOperator === 1 } }
}

/**
 * A unit about how a person signs in. Refuses when the session has ended since the call was admitted: a new password or the first proof of the address
 * came between, and what was asked for before it must not outlive it.
 */
export const writeSignedIn = <T>(
  { writer, user, sessionId }: Pick<UserContext, 'writer' | 'user' | 'sessionId'>,
  unit: (tx: Tx) => Promise<T>,
): Promise<T> =>
  writer.write(async (tx) => {
    await lockUser(tx, user.id)
    const session = await tx
      .selectFrom('auth_sessions')
      .select('id')
      .where('id', '=', sessionId)
      .executeTakeFirst()
    if (session === undefined) throw refuse('not_signed_in')
    return unit(tx)
  })

import { lockUser } from '../../../accounts/people/passwords.ts'
import { refuse } from '../../../runtime/errors.ts'
import type { Tx } from '../../../storage/seam/dialect.ts'
import type { CallContext, ConsoleUser, UserContext } from '../core/call.ts'
import { sessionCookie } from '../core/auth.ts'

/**
 * Returns the user of the session cookie; null without a session, and when it has ended. Use extends a
 * session once a day; the response then sets the cookie again. Where no cookie can be set, the session is not
 * extended, because the cookie would expire before it.
 */
export async function readSession(
  { auth, headers, read, setCookie }: Pick<CallContext, 'auth' | 'headers' | 'read' | 'setCookie'>,
  { canProlong = true } = {},
): Promise<{ sessionId: string; user: ConsoleUser } | null> {
  // Without the cookie, Better Auth need not be loaded.
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
 * Runs a transaction about the authentication of the user. Refuses when the session has ended since the call
 * was admitted: after a new password, or the first confirmation of the address, earlier requests must not
 * take effect.
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

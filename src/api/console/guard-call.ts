import { type Refusal, refuse } from '../../runtime/errors.ts'
import { isId } from '../../runtime/ids.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { AccountContext, AnyCall, CallContext, UserContext } from './core/call.ts'
import { readSession } from './sign-in/session.ts'

/**
 * Checks whether a call is allowed, and returns its context. Refuses without a session (401), and an account
 * that is not one of the caller (404, as if it did not exist).
 */
export async function guardCall(
  context: CallContext,
  { access, kind }: Pick<AnyCall, 'access' | 'kind'>,
  query: URLSearchParams,
): Promise<CallContext | UserContext | AccountContext> {
  if (access === 'anyone') return context
  // Streamed responses set no cookies.
  const session = await readSession(context, { canProlong: kind === 'read' || kind === 'change' })
  if (session === null) throw refuse('not_signed_in')
  const { user, sessionId } = session
  const signedIn: UserContext = { ...context, user, sessionId, actor: user.id }
  if (access === 'user') return signedIn
  if (access === 'operator') {
    if (!user.isOperator) throw refuse('not_found')
    return signedIn
  }
  const account = await readAccount(signedIn, query)
  if (access === 'owner' && account.role !== 'owner')
    throw refuse('not_permitted', { detail: 'Only an owner of the account is allowed to do this.' })
  const guardAgain = async (): Promise<void> => void (await guardCall(context, { access, kind }, query))
  return { ...signedIn, account, guardAgain, read: context.readOf(account.id) }
}

async function readAccount(
  { read, user }: UserContext,
  query: URLSearchParams,
): Promise<AccountContext['account']> {
  const id = query.get('account') ?? ''
  const mode = query.get('mode') ?? 'live'
  if (!isMode(mode) || !isId('acc', id)) throw noAccount()
  const found = await read
    .selectFrom('accounts')
    .leftJoin('account_users', (join) =>
      join.onRef('account_users.account_id', '=', 'accounts.id').on('account_users.user_id', '=', user.id),
    )
    .select(['accounts.id', 'accounts.name', 'account_users.role'])
    .where('accounts.id', '=', id)
    .executeTakeFirst()
  const role = found?.role ?? (user.isOperator ? 'owner' : null)
  if (found === undefined || role === null) throw noAccount()
  return { id: found.id, name: found.name, mode, role }
}

const isMode = (text: string): text is Mode => text === 'live' || text === 'test'

const noAccount = (): Refusal =>
  refuse('not_found', { detail: 'Account not found, or you are not a member.' })

/**
 * Returns the fault of a changing call that does not come from our own page: browsers send `Origin` with
 * every POST (Fetch standard section 3.2), and another page cannot forge it. A client without it is not a
 * browser, and not supported here.
 */
export function originFault(headers: Headers, publicUrl: string): Refusal | null {
  const origin = headers.get('origin')
  const own = URL.parse(publicUrl)
  const host = headers.get('host')
  const isOwnOrigin =
    origin !== null &&
    (origin === own?.origin || URL.parse(origin)?.host === host) &&
    (headers.get('sec-fetch-site') ?? 'same-origin') === 'same-origin'
  return isOwnOrigin ? null : refuse('foreign_origin')
}

import { type Refusal, refuse } from '../../runtime/errors.ts'
import { isId } from '../../runtime/ids.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { AccountContext, AnyCall, CallContext, UserContext } from './core/call.ts'
import { readSession } from './sign-in/session.ts'

/**
 * Decides whether a call may be made, and gives its context. Refuses (401) without a session, and (404, as for what does not
 * exist) an account that is not the caller's.
 */
export async function guardCall(
  context: CallContext,
  { access, kind }: Pick<AnyCall, 'access' | 'kind'>,
  query: URLSearchParams,
): Promise<CallContext | UserContext | AccountContext> {
  if (access === 'anyone') return context
  // Answers that are written piece by piece give no cookies.
  const session = await readSession(context, { canProlong: kind === 'read' || kind === 'change' })
  if (session === null) throw refuse('not_signed_in')
  const { user, sessionId } = session
  const signedIn: UserContext = { ...context, user, sessionId, actor: user.id }
  if (access === 'user') return signedIn
  if (access === 'operator') {
    if (!user.isOperator) throw refuse('not_found')
    return signedIn
  }
  const account = await openedAccount(signedIn, query)
  if (access === 'owner' && account.role !== 'owner')
    throw refuse('not_permitted', { detail: 'Only an owner of the account may do this.' })
  const guardAgain = async (): Promise<void> => void (await guardCall(context, { access, kind }, query))
  return { ...signedIn, account, guardAgain, read: context.readOf(account.id) }
}

async function openedAccount(
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
  refuse('not_found', { detail: 'There is no such account, or it is not one of yours.' })

/**
 * Whether a changing call comes from our own page: browsers send `Origin` with every POST (Fetch standard section 3.2), and a
 * page elsewhere cannot forge it. What sends none is no browser and has no business here.
 */
export function originFault(headers: Headers, publicUrl: string): Refusal | null {
  const origin = headers.get('origin')
  const own = URL.parse(publicUrl)
  const host = headers.get('host')
  const fits =
    origin !== null &&
    (origin === own?.origin || URL.parse(origin)?.host === host) &&
    (headers.get('sec-fetch-site') ?? 'same-origin') === 'same-origin'
  return fits ? null : refuse('foreign_origin')
}

import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import { type CallContext, type ConsoleUser, defineCall } from './call.ts'
import { readSession } from './session.ts'

export interface AccountOfUser {
  id: string
  name: string
  state: 'active' | 'suspended' | 'closed'
  role: 'owner' | 'member'
}

/** What the console shows before anything else: who is signed in, and which accounts are theirs. */
export interface SessionAnswer {
  user: ConsoleUser | null
  accounts: AccountOfUser[]
  signUp: 'open' | 'invite' | 'closed'
}

export const sessionCalls = {
  'session/read': defineCall({
    kind: 'read',
    access: 'anyone',
    input: Type.Object({}, { additionalProperties: false }),
    async handle(context): Promise<SessionAnswer> {
      const session = await readSession(context)
      return {
        user: session?.user ?? null,
        accounts: session === null ? [] : await accountsOf(context, session.user.id),
        signUp: 'closed',
      }
    },
  }),
  'session/sign-in': defineCall({
    kind: 'change',
    access: 'anyone',
    input: Type.Object(
      { email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: 128 }) },
      { additionalProperties: false },
    ),
    async handle(context, { email, password }): Promise<{ signedIn: boolean }> {
      const auth = await context.auth()
      const response = await auth.api.signInEmail({
        body: { email: email.trim().toLowerCase(), password },
        headers: context.headers,
        asResponse: true,
      })
      if (!response.ok)
        throw refuse('not_signed_in', { detail: 'E-mail address and password do not go together.' })
      for (const cookie of response.headers.getSetCookie()) context.setCookie(cookie)
      return { signedIn: true }
    },
  }),
  'session/sign-out': defineCall({
    kind: 'change',
    access: 'anyone',
    input: Type.Object({}, { additionalProperties: false }),
    async handle(context): Promise<{ signedIn: boolean }> {
      const auth = await context.auth()
      const response = await auth.api.signOut({ headers: context.headers, asResponse: true })
      for (const cookie of response.headers.getSetCookie()) context.setCookie(cookie)
      return { signedIn: false }
    },
  }),
}

const accountsOf = ({ read }: CallContext, userId: string): Promise<AccountOfUser[]> =>
  read
    .selectFrom('account_users')
    .innerJoin('accounts', 'accounts.id', 'account_users.account_id')
    .select(['accounts.id', 'accounts.name', 'accounts.state', 'account_users.role'])
    .where('account_users.user_id', '=', userId)
    .orderBy('accounts.created_at')
    .limit(mostAccounts)
    .execute()

/** A person is a member of few accounts; the operator finds others on the operator's page. */
const mostAccounts = 100

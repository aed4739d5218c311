import { Type } from 'typebox'
import { ownCommandOverNetwork } from '../../../process/own-command.ts'
import { signUpMode } from '../../../process/own-address.ts'
import { type CallContext, type ConsoleUser, defineCall } from '../core/call.ts'
import { passkeyPlace } from './passkey-place.ts'
import { readSession } from './session.ts'
import { giveCode, keepCookies, type SignedIn, signIn } from './sign-in.ts'

export interface AccountOfUser {
  id: string
  name: string
  state: 'active' | 'suspended' | 'closed'
  role: 'owner' | 'member'
}

/** Initial state of the console: the signed-in user and their accounts. */
export interface SessionAnswer {
  user: ConsoleUser | null
  accounts: AccountOfUser[]
  signUp: 'open' | 'invite' | 'closed'
  /** True when a lost password is reset by mail, not only by the operator. */
  mailsResets: boolean
  /** What commands of this installation begin with, for a user who must ask the operator. */
  command: string
  /** The only origin at which passkeys work; null where browsers do not support them. */
  passkeyOrigin: string | null
  /** SMS granted to a new account. */
  freeSms: number
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
        signUp: signUpMode(context.config),
        mailsResets: context.ports.identity.mailer !== null,
        command: ownCommandOverNetwork(),
        passkeyOrigin: passkeyPlace(context.publicUrl())?.origin ?? null,
        freeSms: context.config.freeSms,
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
    handle: async (context, given): Promise<{ state: SignedIn }> => ({ state: await signIn(context, given) }),
  }),
  /** Second step of a sign-in with two-factor authentication. */
  'session/give-code': defineCall({
    kind: 'change',
    access: 'anyone',
    input: Type.Object({ code: Type.String({ maxLength: 40 }) }, { additionalProperties: false }),
    async handle(context, { code }): Promise<{ state: SignedIn }> {
      await giveCode(context, code)
      return { state: 'signed-in' }
    },
  }),
  'session/sign-out': defineCall({
    kind: 'change',
    access: 'anyone',
    input: Type.Object({}, { additionalProperties: false }),
    async handle(context): Promise<{ signedIn: boolean }> {
      const auth = await context.auth()
      const response = await auth.api.signOut({ headers: context.headers, asResponse: true })
      keepCookies(context, response)
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
    .limit(maxAccounts)
    .execute()

/** A user is a member of few accounts. The operator finds others on the accounts page. */
const maxAccounts = 100

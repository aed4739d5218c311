import { Type } from 'typebox'
import { proveAddress, type Removed } from '../../../accounts/people/address-proof.ts'
import { emailFaults, placeholderEmail, readAccount } from '../../../accounts/core/accounts.ts'
import { addMember } from '../../../accounts/people/members.ts'
import { type OneTimeLink, readLink, takeLink } from '../../../accounts/people/one-time-links.ts'
import { setPassword } from '../../../accounts/people/passwords.ts'
import { changeEmail } from '../../../accounts/people/users.ts'
import { refuse } from '../../../runtime/errors.ts'
import { invalidInput } from '../../../runtime/invalid-input.ts'
import { closed } from '../../../runtime/schemas.ts'
import { signUpMode } from '../../../process/own-address.ts'
import type { Tx } from '../../../storage/seam/dialect.ts'
import { type CallContext, defineCall, type UserContext } from '../core/call.ts'
import { mailFirstEmailLink } from './confirm-email.ts'
import { hashNewPassword } from './check-password.ts'
import { requireSafeOrigin, type SignedIn, signInWithNewPassword } from './sign-in.ts'
import { newUser } from './new-user.ts'

/** What a link is for, before it is redeemed. */
export interface LinkLook {
  purpose: OneTimeLink['purpose']
  /** Empty for the first operator, who enters an address. */
  email: string
  /** Account of the invitation; null when it is for an own account. */
  account: { id: string; name: string } | null
  role: 'owner' | 'member' | null
  expiresAt: number
  /** True when the invited address belongs to an existing user, who has to sign in. */
  isKnown: boolean
}

export interface ChosenPassword {
  state: SignedIn
  passkeys: number
  removed: Removed | null
}

const token = Type.String({ maxLength: 100 })
const email = Type.String({ maxLength: 254 })
// The rule about its length has its own sentence; anything longer is not a password.
const password = Type.String({ maxLength: 1_000 })
const name = Type.String({ maxLength: 100 })

export const linkCalls = {
  /**
   * Returns what a link is for. A POST although it changes nothing, because the token must not be in a URL.
   */
  'link/look': defineCall({
    kind: 'change',
    access: 'anyone',
    input: Type.Object({ token }, closed),
    async handle(context, given): Promise<LinkLook> {
      const link = await readLink(context.read, context.clock.now(), given.token)
      const { purpose, role, expiresAt } = link
      return {
        purpose,
        email: link.email === placeholderEmail ? '' : link.email,
        account: await accountOf(context, link),
        role,
        expiresAt,
        isKnown: purpose === 'invitation' && (await isKnown(context, link.email)),
      }
    },
  }),
  /**
   * Sets the password of a setup or reset link, and signs in. Returns how many passkeys also sign the user
   * in, and what the link removed as the first one that was opened.
   */
  'link/choose-password': defineCall({
    kind: 'change',
    access: 'anyone',
    input: Type.Object({ token, password, email: Type.Optional(email) }, closed),
    async handle(context, given): Promise<ChosenPassword> {
      requireSafeOrigin(context.headers)
      const look = await readLink(context.read, context.clock.now(), given.token)
      const asksEmail = look.email === placeholderEmail
      const ownEmail = asksEmail ? (given.email ?? '').trim().toLowerCase() : look.email
      if (asksEmail && emailFaults(ownEmail).length > 0) throw invalidInput(emailFaults(ownEmail))
      const passwordHash = await hashNewPassword(given.password, { email: ownEmail })
      const { address, ...chosen } = await context.writer.write(async (tx) => {
        const { userId, purpose, email: of } = await takeLink(tx, depsOf(context), { token: given.token })
        if (userId === null) throw wrongPurpose(purpose)
        // Left open by an earlier version at a change of the address: it would confirm the new address with
        // the mailbox of the old one.
        if (of !== (await emailOf(tx, userId))) throw formerAddress()
        if (asksEmail) await changeEmail(tx, depsOf(context), { userId, email: ownEmail, actor: userId })
        // The link came by mail or from the operator. Before it, nothing proved that the address belongs to
        // this user.
        const removed = asksEmail ? null : await proveAddress(tx, depsOf(context), { userId, actor: userId })
        const still = await setPassword(tx, depsOf(context), { userId, passwordHash })
        return { ...still, removed, address: await emailOf(tx, userId) }
      })
      return { state: await signInWithNewPassword(context, address, given.password), ...chosen }
    },
  }),
  /** Accepts an invitation as a new user, who chooses a name and a password, and signs in. */
  'link/join': defineCall({
    kind: 'change',
    access: 'anyone',
    input: Type.Object({ token, name, password }, closed),
    async handle(context, given): Promise<{ state: SignedIn; accountId: string }> {
      requireSafeOrigin(context.headers)
      const look = await readLink(context.read, context.clock.now(), given.token)
      const person = { email: look.email, name: given.name.trim() }
      const passwordHash = await hashNewPassword(given.password, person)
      const { accountId, userId } = await context.writer.write(async (tx) => {
        const link = await takeLink(tx, depsOf(context), { token: given.token })
        if (link.purpose !== 'invitation') throw wrongPurpose(link.purpose)
        const made = await newUser(tx, depsOf(context), { ...person, passwordHash })
        return { accountId: await joinAccount(tx, context, link, { userId: made, ...person }), userId: made }
      })
      // The inviting user can read the link: it proves nothing about the address.
      mailFirstEmailLink(context, { userId, email: person.email })
      return { state: await signInWithNewPassword(context, look.email, given.password), accountId }
    },
  }),
  /**
   * Accepts an invitation as the signed-in user, regardless of the invited address: the link is the proof.
   */
  'link/accept': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({ token }, closed),
    handle: (context: UserContext, given): Promise<{ accountId: string }> =>
      context.writer.write(async (tx) => {
        const { user, actor } = context
        const link = await takeLink(tx, depsOf(context), { token: given.token, actor })
        if (link.purpose !== 'invitation') throw wrongPurpose(link.purpose)
        return { accountId: await joinAccount(tx, context, link, { ...user, userId: user.id }) }
      }),
  }),
}

const depsOf = ({ ids, clock }: CallContext) => ({ ids, nowMs: clock.now() })

/** The address may have changed since the link was created. */
const emailOf = async (tx: Tx, userId: string): Promise<string> =>
  (await tx.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()).email

/** Adds the user to the account of the invitation, or creates a new account. Returns the account ID. */
async function joinAccount(
  tx: Tx,
  context: CallContext,
  { accountId, role }: OneTimeLink,
  person: { userId: string; email: string; name: string },
): Promise<string> {
  const { userId, email: address, name: ownName } = person
  if (accountId !== null && role !== null) {
    if ((await readAccount(tx, accountId)).state === 'closed')
      throw refuse('link_not_valid', { detail: 'The account of this invitation is closed.' })
    await addMember(tx, depsOf(context), { accountId, userId, role, actor: userId })
    return accountId
  }
  if (signUpMode(context.config) === 'closed') throw refuse('sign_up_closed')
  const account = { name: ownName, email: address, userId, actor: userId }
  return (await context.ports.identity.openAccount(tx, context.clock.now(), account)).accountId
}

async function accountOf(
  { read }: CallContext,
  { accountId }: OneTimeLink,
): Promise<{ id: string; name: string } | null> {
  if (accountId === null) return null
  const found = await read
    .selectFrom('accounts')
    .select(['id', 'name'])
    .where('id', '=', accountId)
    .executeTakeFirst()
  return found ?? null
}

async function isKnown({ read }: CallContext, address: string): Promise<boolean> {
  const user = await read.selectFrom('users').select('id').where('email', '=', address).executeTakeFirst()
  return user !== undefined
}

const formerAddress = () =>
  refuse('link_not_valid', { detail: 'This link was created for an e-mail address that has changed since.' })

const wrongPurpose = (purpose: OneTimeLink['purpose']) =>
  refuse('link_not_valid', { detail: `This is a ${purpose} link, which cannot be used here.` })

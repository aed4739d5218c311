import { Type } from 'typebox'
import { emailFaults } from '../../../accounts/core/accounts.ts'
import { refuse } from '../../../runtime/errors.ts'
import { invalidInput, nameFaults } from '../../../runtime/invalid-input.ts'
import { signUpMode } from '../../../process/own-address.ts'
import { defineCall } from '../core/call.ts'
import { mailFirstEmailLink } from './confirm-email.ts'
import { takePlaceOrRefuse } from '../core/identity-limits.ts'
import { newUser } from './new-user.ts'
import { hashNewPassword, requireGoodPassword } from './check-password.ts'
import { requireSafeOrigin, type SignedIn, signInWithNewPassword } from './sign-in.ts'

/** A new account. Its test key is returned only once, so that the first send needs no other page. */
export interface SignUpAnswer {
  state: SignedIn
  accountId: string
  testKey: string
}

export const signUpCalls = {
  /** Creates an account with its owner, wallets and free SMS in one transaction, and signs in. */
  'sign-up/open': defineCall({
    kind: 'change',
    access: 'anyone',
    input: Type.Object(
      {
        name: Type.String({ maxLength: 100 }),
        email: Type.String({ maxLength: 254 }),
        password: Type.String({ maxLength: 1_000 }),
      },
      { additionalProperties: false },
    ),
    async handle(context, given): Promise<SignUpAnswer> {
      requireSafeOrigin(context.headers)
      const { config, ports, writer, clock, ids } = context
      if (signUpMode(config) !== 'open') throw refuse('sign_up_closed')
      const person = { email: given.email.trim().toLowerCase(), name: given.name.trim() }
      const faults = [...nameFaults(person.name), ...emailFaults(person.email)]
      if (faults.length > 0) throw invalidInput(faults)
      requireGoodPassword(given.password, person)
      // Counted only after the password check: a short password costs no attempt. Probing for known addresses
      // does, and so does hashing.
      takePlaceOrRefuse(ports.identity.limits.signUpByNetwork, context.address)
      const passwordHash = await hashNewPassword(given.password, person)
      const opened = await writer.write(async (tx) => {
        const nowMs = clock.now()
        const userId = await newUser(tx, { ids, nowMs }, { ...person, passwordHash })
        return ports.identity.openAccount(tx, nowMs, { ...person, userId, actor: userId })
      })
      mailFirstEmailLink(context, { userId: opened.userId, email: person.email })
      const state = await signInWithNewPassword(context, person.email, given.password)
      return { state, accountId: opened.accountId, testKey: opened.testKey }
    },
  }),
}

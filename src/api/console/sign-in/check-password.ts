import { randomBytes } from 'node:crypto'
import { hashPassword, isOutdatedHash, verifyPassword } from '../../../accounts/people/password-hash.ts'
import { passwordFaults } from '../../../accounts/people/password-rules.ts'
import { type Refusal, refuse } from '../../../runtime/errors.ts'
import { invalidInput } from '../../../runtime/invalid-input.ts'
import type { CallContext, UserContext } from '../core/call.ts'
import { takeSignInAttempt } from '../core/identity-limits.ts'

/** Refuses a password that is too short or too common. Costs nothing, unlike the hash. */
export function requireGoodPassword(password: string, person: { email: string; name?: string }): void {
  const faults = passwordFaults(password, person)
  if (faults.length > 0) throw invalidInput(faults)
}

/**
 * Returns the hash of a new password, as the sign-in reads it. Refuses what `requireGoodPassword` refuses.
 */
export async function hashNewPassword(
  password: string,
  person: { email: string; name?: string },
): Promise<string> {
  requireGoodPassword(password, person)
  return hashPassword({ randomBytes }, password)
}

/**
 * Refuses unless this is the password of the signed-in user. Called before actions that a hijacked session
 * must not do.
 */
export async function confirmPassword(context: UserContext, password: string): Promise<void> {
  const { user, sessionId, address, ports, read } = context
  // Counted by session: strangers who guess at the sign-in do not block this.
  const browser = `confirm ${user.id} ${sessionId}`
  const attempt = takeSignInAttempt(ports.identity.limits, { name: user.email, address, browser })
  const stored = await read
    .selectFrom('auth_credentials')
    .select('password')
    .where('userId', '=', user.id)
    .where('providerId', '=', 'credential')
    .executeTakeFirst()
  const hash = stored?.password ?? null
  if (hash === null || !(await verifyPassword({ hash, password }))) throw wrongPassword()
  attempt.succeeded()
}

/**
 * Stores the hash of a password that was just verified with the current cost, if its hash has another one.
 */
export async function renewPasswordHash(
  { read, writer }: Pick<CallContext, 'read' | 'writer'>,
  name: string,
  password: string,
): Promise<void> {
  const stored = await read
    .selectFrom('auth_credentials')
    .innerJoin('auth_users', 'auth_users.id', 'auth_credentials.userId')
    .select(['auth_credentials.id', 'auth_credentials.password'])
    .where('auth_users.email', '=', name)
    .where('auth_credentials.providerId', '=', 'credential')
    .executeTakeFirst()
  const hash = stored?.password ?? null
  if (stored === undefined || hash === null || !isOutdatedHash(hash)) return
  const renewed = await hashPassword({ randomBytes }, password)
  await writer.write((tx) =>
    tx
      .updateTable('auth_credentials')
      .set({ password: renewed })
      .where('id', '=', stored.id)
      // Another password may have been set in the meantime.
      .where('password', '=', hash)
      .execute(),
  )
}

const wrongPassword = (): Refusal =>
  refuse('validation_failed', {
    detail: 'Wrong password.',
    errors: [{ pointer: '/password', code: 'invalid_format', detail: 'Wrong password.' }],
  })

import { passwordFaults } from '../../accounts/password-rules.ts'
import { type Refusal, refuse } from '../../errors.ts'
import { invalidInput } from '../../invalid-input.ts'
import type { UserContext } from './call.ts'
import { takeSignInAttempt } from './identity-limits.ts'

/** Refuses a password that is too short or that is tried first. Costs nothing, unlike the hash. */
export function requireGoodPassword(password: string, person: { email: string; name?: string }): void {
  const faults = passwordFaults(password, person)
  if (faults.length > 0) throw invalidInput(faults)
}

/** The hash of a password that somebody chooses, as the sign-in reads it. Refuses what `requireGoodPassword` does. */
export async function hashNewPassword(
  password: string,
  person: { email: string; name?: string },
): Promise<string> {
  requireGoodPassword(password, person)
  const { hashPassword } = await import('better-auth/crypto')
  return hashPassword(password)
}

/** Refuses unless this is the password of the person who is signed in: before what a borrowed session must not do. */
export async function confirmPassword(context: UserContext, password: string): Promise<void> {
  const { user, address, ports, read } = context
  const attempt = takeSignInAttempt(ports.identity.limits, { name: user.email, address })
  const stored = await read
    .selectFrom('auth_credentials')
    .select('password')
    .where('userId', '=', user.id)
    .where('providerId', '=', 'credential')
    .executeTakeFirst()
  const { verifyPassword } = await import('better-auth/crypto')
  const hash = stored?.password ?? null
  if (hash === null || !(await verifyPassword({ hash, password }))) throw wrongPassword()
  attempt.succeeded()
}

const wrongPassword = (): Refusal =>
  refuse('validation_failed', {
    detail: 'The password is not the right one.',
    errors: [{ pointer: '/password', code: 'invalid_format', detail: 'The password is not the right one.' }],
  })

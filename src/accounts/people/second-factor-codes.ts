import { minuteMs } from '../../runtime/clock.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { deleteRows } from '../../storage/seam/sets.ts'

/**
 * A time step of an app, and its secret (encrypted) at the time of the comparison: steps of one app do not
 * apply to another.
 */
export interface StepProof {
  step: number
  secret: string
}

/**
 * The match of a code: a time step of the app, or a recovery code (the encrypted list with it and without
 * it).
 */
export type CodeProof = StepProof | { codesBefore: string; codesAfter: string }

/** A code, with the match that was found before the deciding transaction. */
export interface GivenCode {
  /** The sign-in that waits for a code. */
  challenge: string
  userId: string
  /** Null: no match. */
  proof: CodeProof | null
}

/** `wrong`: no match, or already used. `ended`: no sign-in waits for a code any more. */
export type CodeResult = 'accepted' | 'wrong' | 'too_many' | 'ended'

/** Maximum wrong codes of one sign-in. */
const maxOfChallenge = 5
/** Maximum wrong codes in a row of one user, from unknown browsers; then these are locked out. */
const maxOfUser = 10
const lockMs = 15 * minuteMs

/**
 * Decides about a code. The end of the challenge, which signs in, and the use of the code are one
 * transaction: of two concurrent uses of a code one is accepted, and a time step at or before the last
 * accepted one never is (RFC 6238, section 5.2).
 */
export async function takeCode(
  tx: Tx,
  { nowMs }: { nowMs: number },
  { challenge, userId, proof, isKnownBrowser }: GivenCode & { isKnownBrowser: boolean },
): Promise<CodeResult> {
  const factor = await tx
    .selectFrom('auth_two_factors')
    .select(['id', 'failedVerificationCount', 'lockedUntil'])
    .where('userId', '=', userId)
    .executeTakeFirst()
  const wrongBefore = await wrongCodes(tx, { challenge, userId, nowMs })
  if (factor === undefined || wrongBefore === null) return 'ended'
  const lockedUntilMs = factor.lockedUntil === null ? 0 : Date.parse(factor.lockedUntil)
  // Otherwise a person who knows the password could lock its owner out.
  const isLocked = lockedUntilMs > nowMs && !isKnownBrowser
  if (wrongBefore >= maxOfChallenge || isLocked) {
    if (!isLocked) await endChallenge(tx, challenge)
    return 'too_many'
  }
  if (proof !== null && (await spend(tx, factor.id, proof))) {
    await endChallenge(tx, challenge)
    return 'accepted'
  }
  await tx
    .updateTable('auth_verifications')
    .set({ value: String(wrongBefore + 1) })
    .where('identifier', '=', attemptsOf(challenge))
    .execute()
  if (!isKnownBrowser) {
    const failures = (lockedUntilMs > 0 ? 0 : (factor.failedVerificationCount ?? 0)) + 1
    const lockedUntil = failures < maxOfUser ? null : new Date(nowMs + lockMs).toISOString()
    await tx
      .updateTable('auth_two_factors')
      .set({ failedVerificationCount: failures, lockedUntil })
      .where('id', '=', factor.id)
      .execute()
  }
  return 'wrong'
}

/**
 * Requires codes of a new app from now on, and stores the step of its first code, which is used like any
 * other. Returns false if the app was added before, or was replaced by a newer one.
 */
export async function addSecondFactor(
  tx: Tx,
  { userId, step, secret }: StepProof & { userId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('auth_two_factors')
    .set({ lastStep: step, verified: 1 })
    .where('userId', '=', userId)
    .where('secret', '=', secret)
    .where('verified', '=', 0)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await tx.updateTable('auth_users').set({ twoFactorEnabled: 1 }).where('id', '=', userId).execute()
  return true
}

/** Uses up a code; returns false if it was used before. */
async function spend(tx: Tx, factorId: string, proof: CodeProof): Promise<boolean> {
  const counts = { failedVerificationCount: 0, lockedUntil: null }
  const factor = tx.updateTable('auth_two_factors').where('id', '=', factorId)
  const { numUpdatedRows } = await (
    'step' in proof
      ? factor
          .set({ ...counts, lastStep: proof.step })
          .where('secret', '=', proof.secret)
          .where(({ eb, or }) => or([eb('lastStep', 'is', null), eb('lastStep', '<', proof.step)]))
      : factor.set({ ...counts, backupCodes: proof.codesAfter }).where('backupCodes', '=', proof.codesBefore)
  ).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns the number of wrong codes of a challenge of this user; null if it is unknown or expired. */
async function wrongCodes(
  tx: Tx,
  { challenge, userId, nowMs }: { challenge: string; userId: string; nowMs: number },
): Promise<number | null> {
  const rows = await tx
    .selectFrom('auth_verifications')
    .select(['identifier', 'value', 'expiresAt'])
    .where('identifier', 'in', [challenge, attemptsOf(challenge)])
    .execute()
  const open = rows.find(({ identifier }) => identifier === challenge)
  const attempts = rows.find(({ identifier }) => identifier !== challenge)
  const isOpen = open?.value === userId && Date.parse(open.expiresAt) > nowMs
  return isOpen && attempts !== undefined ? Number(attempts.value) : null
}

const endChallenge = (tx: Tx, challenge: string): Promise<unknown> =>
  tx
    .deleteFrom('auth_verifications')
    .where('identifier', 'in', [challenge, attemptsOf(challenge)])
    .execute()

/** Ends every sign-in of a user that waits for a code. */
export async function endChallenges(tx: Tx, userId: string): Promise<void> {
  const rows = await tx
    .selectFrom('auth_verifications')
    .select('identifier')
    .where('value', '=', userId)
    .execute()
  const identifiers = rows.flatMap(({ identifier }) => [identifier, attemptsOf(identifier)])
  await deleteRows(
    tx,
    'auth_verifications',
    ['identifier'],
    identifiers.map((identifier) => ({ identifier })),
  )
}

/** The name in Better Auth of the count that each challenge begins with. */
const attemptsOf = (challenge: string): string => `2fa-attempts-${challenge}`

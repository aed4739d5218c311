import { minuteMs } from '../../runtime/clock.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { deleteRows } from '../../storage/seam/sets.ts'

/** A time step of an app, and its secret (sealed) as it was when the code was compared: the steps of one app say nothing of another. */
export interface StepProof {
  step: number
  secret: string
}

/** What a code has matched: a time step of the app, or one of the recovery codes (sealed, as they were and without it). */
export type CodeProof = StepProof | { codesBefore: string; codesAfter: string }

/** What was known of a code before the transaction that decides about it. */
export interface GivenCode {
  /** Names the sign-in that waits for a code. */
  challenge: string
  userId: string
  /** Null: it matches nothing. */
  proof: CodeProof | null
}

/** Wrong: it matches nothing, or was accepted before. Ended: nothing waits for a code any more. */
export type CodeResult = 'accepted' | 'wrong' | 'too_many' | 'ended'

/** Wrong codes of one sign-in. */
const maxOfChallenge = 5
/** Wrong codes in a row of one user, from browsers that are not known; then they wait. */
const maxOfUser = 10
const lockMs = 15 * minuteMs

/**
 * Decides about a code. What lets in (the end of the challenge) and what keeps the code from being accepted again are one transaction: of two who
 * give one code at the same time one is let in, and a time step at or before the last accepted one never is (RFC 6238, section 5.2).
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
  // Whoever knows the password could else keep its owner out.
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
 * Asks for codes of a new app from now on, and keeps the step of its first code, which is a code like any other. False when the app was added before,
 * or is no longer the one that was begun last.
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

/** Uses a code up; false when that was done before. */
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

/** How many wrong codes a challenge of this user has had; null when there is none, or its time is over. */
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

/** As Better Auth names the count that it begins with each challenge. */
const attemptsOf = (challenge: string): string => `2fa-attempts-${challenge}`

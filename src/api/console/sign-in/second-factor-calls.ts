import { Type } from 'typebox'
import { addSecondFactor, type StepProof } from '../../../accounts/people/second-factor-codes.ts'
import { endFormerSignIns, lockUser, removeSecondFactor } from '../../../accounts/people/passwords.ts'
import { refuse } from '../../../runtime/errors.ts'
import { closed } from '../../../runtime/schemas.ts'
import { appendAudit } from '../../../storage/seam/audit-log.ts'
import type { Tx } from '../../../storage/seam/dialect.ts'
import { defineCall, type UserContext } from '../core/call.ts'
import { confirmPassword } from './check-password.ts'
import { qrCodeOf, type QrCode } from '../core/qr-code.ts'
import { writeSignedIn } from './session.ts'
import { enter, ownHeaders } from './sign-in.ts'

/** Secret for an authenticator app, and recovery codes. All of it is shown only once. */
export interface NewSecondFactor {
  /** Base32, for typing. */
  secret: string
  /** QR code of the `otpauth` URI. */
  qr: QrCode
  recoveryCodes: string[]
}

const password = Type.String({ maxLength: 1_000 })

export const secondFactorCalls = {
  /** Creates a secret. The next sign-in does not change until a code of it was confirmed. */
  'second-factor/begin': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({ password }, closed),
    async handle(context, given): Promise<NewSecondFactor> {
      await confirmPassword(context, given.password)
      const auth = await context.auth()
      const response = await auth.api.enableTwoFactor({
        body: { password: given.password },
        headers: ownHeaders(context),
        asResponse: true,
      })
      if (!response.ok)
        throw refuse('not_permitted', {
          detail: 'Two-factor authentication is already enabled. Disable it first.',
        })
      const made = (await response.json()) as { totpURI: string; backupCodes: string[] }
      const secret = new URL(made.totpURI).searchParams.get('secret') ?? ''
      return { secret, qr: qrCodeOf(otpauth(secret, context.user.email)), recoveryCodes: made.backupCodes }
    },
  }),
  /** Confirms the secret with a first code. From now on a code is required. */
  'second-factor/confirm': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({ code: Type.String({ maxLength: 20 }) }, closed),
    async handle(context, { code }): Promise<{ hasSecondFactor: true }> {
      const auth = await context.auth()
      const headers = ownHeaders(context)
      const typed = code.replace(/\s/g, '')
      const body = { code: typed, nowMs: context.clock.now(), userId: context.user.id }
      const proof = (await auth.api.readCode({ body, headers }))?.proof ?? null
      const epoch =
        proof !== null && 'step' in proof
          ? await writeSignedIn(context, (tx) => add(tx, context, proof))
          : null
      if (epoch === null) {
        throw refuse('validation_failed', {
          detail: 'Wrong code. Check the clock of the phone and enter the current code.',
          errors: [{ pointer: '/code', code: 'invalid_format', detail: 'Wrong code.' }],
        })
      }
      await enter(context, { userId: body.userId, epoch })
      return { hasSecondFactor: true }
    },
  }),
  'second-factor/renew-codes': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({ password }, closed),
    async handle(context, given): Promise<{ recoveryCodes: string[] }> {
      await confirmPassword(context, given.password)
      const auth = await context.auth()
      const response = await auth.api.generateBackupCodes({
        body: { password: given.password },
        headers: ownHeaders(context),
        asResponse: true,
      })
      if (!response.ok) throw refuse('not_permitted', { detail: 'Two-factor authentication is not enabled.' })
      await context.writer.write((tx) => audit(tx, context, 'user.recovery_codes_renewed'))
      return { recoveryCodes: ((await response.json()) as { backupCodes: string[] }).backupCodes }
    },
  }),
  'second-factor/remove': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({ password }, closed),
    async handle(context, given): Promise<{ hasSecondFactor: false }> {
      const { user, actor, ids, clock } = context
      await confirmPassword(context, given.password)
      await writeSignedIn(context, (tx) =>
        removeSecondFactor(tx, { ids, nowMs: clock.now() }, { userId: user.id, actor }),
      )
      return { hasSecondFactor: false }
    },
  }),
}

/**
 * Returns the URI for authenticator apps (Key URI format of Google Authenticator; RFC 6238 with its
 * defaults).
 */
const otpauth = (secret: string, email: string): string =>
  `otpauth://totp/onesixty:${encodeURIComponent(email)}?secret=${secret}&issuer=onesixty`

/**
 * Enables the second factor: browsers that signed in with only the password are unknown from now on. Returns
 * the new epoch, for a new session in place of this one. Null when the app was already added, or its setup
 * was restarted.
 */
async function add(tx: Tx, context: UserContext, proof: StepProof): Promise<number | null> {
  const userId = context.user.id
  if (!(await addSecondFactor(tx, { userId, ...proof }))) return null
  await endFormerSignIns(tx, userId)
  await tx.deleteFrom('auth_sessions').where('id', '=', context.sessionId).execute()
  await audit(tx, context, 'user.second_factor_added')
  return lockUser(tx, userId)
}

const audit = (tx: Tx, { ids, clock, actor, user }: UserContext, action: string): Promise<void> =>
  appendAudit(
    tx,
    { ids, nowMs: clock.now() },
    { accountId: null, actor, action, detail: { userId: user.id } },
  )

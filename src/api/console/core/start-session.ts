import type { BetterAuthPlugin } from 'better-auth'
import { createAuthEndpoint } from 'better-auth/api'
import { expireCookie, setSessionCookie } from 'better-auth/cookies'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import type { CodeProof, GivenCode } from '../../../accounts/people/second-factor-codes.ts'
import { stepOfCode } from '../../../accounts/people/totp.ts'

interface StoredFactor {
  secret: string
  backupCodes: string
}

/**
 * Lets Better Auth start a session for somebody whom we have recognised ourselves, the same as after a password: a new one, with its cookie; and
 * reads what it has sealed and signed, so that codes are decided about where they are stored. Called from within, without addresses. Loaded with
 * Better Auth.
 */
export const startSession = {
  id: 'onesixty-start-session',
  endpoints: {
    startSession: createAuthEndpoint.serverOnly(
      { method: 'POST', metadata: { $Infer: { body: {} as { userId: string } } } },
      async (context) => {
        const { internalAdapter, createAuthCookie } = context.context
        const user = await internalAdapter.findUserById(context.body.userId)
        if (user === null) throw context.error('UNAUTHORIZED')
        const session = await internalAdapter.createSession(user.id)
        await setSessionCookie(context, { session, user })
        const challenge = createAuthCookie(challengeCookie)
        if (context.getCookie(challenge.name) !== null) expireCookie(context, challenge)
        return context.json({ token: session.token })
      },
    ),
    /** What a code matches, of the sign-in that waits for it, or of `userId` who is adding an app; null when nothing waits. */
    readCode: createAuthEndpoint.serverOnly(
      {
        method: 'POST',
        metadata: { $Infer: { body: {} as { code: string; nowMs: number; userId?: string } } },
      },
      async (context): Promise<GivenCode | null> => {
        const { context: auth, body } = context
        const signed = await context.getSignedCookie(auth.createAuthCookie(challengeCookie).name, auth.secret)
        const challenge = signed === false || signed === null ? '' : signed
        const userId = body.userId ?? (await auth.internalAdapter.findVerificationValue(challenge))?.value
        if (userId === undefined) return null
        const factor = await auth.adapter.findOne<StoredFactor>({
          model: 'twoFactor',
          where: [{ field: 'userId', value: userId }],
        })
        if (factor === null) return null
        return { challenge, userId, proof: await proofOf(factor, body, auth.secretConfig) }
      },
    ),
  },
} satisfies BetterAuthPlugin

/** Better Auth's own name of the cookie that names a challenge; what browsers see is set in `auth.ts`. */
const challengeCookie = 'two_factor'

async function proofOf(
  { secret, backupCodes }: StoredFactor,
  { code, nowMs }: { code: string; nowMs: number },
  key: Parameters<typeof symmetricDecrypt>[0]['key'],
): Promise<CodeProof | null> {
  if (/^\d{6}$/.test(code)) {
    const step = stepOfCode(await symmetricDecrypt({ key, data: secret }), code, nowMs)
    return step === null ? null : { step, secret }
  }
  const codes = JSON.parse(await symmetricDecrypt({ key, data: backupCodes })) as string[]
  if (!codes.includes(code)) return null
  const data = JSON.stringify(codes.filter((each) => each !== code))
  return { codesBefore: backupCodes, codesAfter: await symmetricEncrypt({ key, data }) }
}

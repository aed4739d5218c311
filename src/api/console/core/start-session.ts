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
 * A plug-in with which Better Auth starts a session for a user whom we have authenticated ourselves, as after
 * a password: a new session with its cookie. It also reads what Better Auth has sealed and signed, so that
 * codes are checked where they are stored. Called internally, without routes. Loaded with Better Auth.
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
    /**
     * Returns what a code matches, for the pending sign-in or for `userId`, who is adding an app; null when
     * nothing is pending.
     */
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

/** Name of the challenge cookie in Better Auth; the name in browsers is set in `auth.ts`. */
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

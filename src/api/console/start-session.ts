import type { BetterAuthPlugin } from 'better-auth'
import { createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'

/**
 * Lets Better Auth start a session for somebody whom we have recognised ourselves, the same as after a password: a new one, with its cookie. It is
 * called from within and has no address. Loaded with Better Auth.
 */
export const startSession = {
  id: 'onesixty-start-session',
  endpoints: {
    startSession: createAuthEndpoint.serverOnly(
      { method: 'POST', metadata: { $Infer: { body: {} as { userId: string } } } },
      async (context) => {
        const { internalAdapter } = context.context
        const user = await internalAdapter.findUserById(context.body.userId)
        if (user === null) throw context.error('UNAUTHORIZED')
        const session = await internalAdapter.createSession(user.id)
        await setSessionCookie(context, { session, user })
        return context.json({})
      },
    ),
  },
} satisfies BetterAuthPlugin

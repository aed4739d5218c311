import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { change, isSignedOut } from '../api/call.ts'
import { announceSession } from '../api/check-session.ts'
import { sessionEnd } from '../connection/session-end.ts'
import { removeDrafts } from '../drafts/draft-storage.ts'
import { notify } from './notify.ts'

/** Ends this session, and forgets what it was told; says so when it goes on because the server could not be asked. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    try {
      await change('session/sign-out', null, {})
    } catch (error) {
      // Whoever is signed in no more is where they wanted to be.
      if (!isSignedOut(error))
        return notify({
          color: 'red',
          message: `You are still signed in. ${error instanceof Error ? error.message : ''}`,
        })
    }
    sessionEnd.reset()
    client.clear()
    removeDrafts()
    announceSession()
    await navigate({ to: '/sign-in' })
  }
}

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { change, isSignedOut } from '../api/call.ts'
import { announceSession } from '../api/check-session.ts'
import { sessionEnd } from '../connection/session-end.ts'
import { removeDrafts } from '../drafts/draft-storage.ts'
import { notify } from './notify.ts'

/** Signs out and clears all cached data. When the server cannot be reached, shows that the session continues. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    try {
      await change('session/sign-out', null, {})
    } catch (error) {
      // A user whose session has already ended is signed out.
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

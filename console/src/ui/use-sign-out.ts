import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { change } from '../api/call.ts'

/** Ends this session, and forgets what it was told. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    await change('session/sign-out', null, {})
    client.clear()
    await navigate({ to: '/sign-in' })
  }
}

import { connection } from '../connection/connection.ts'
import { sessionEnd } from '../connection/session-end.ts'
import { read } from './call.ts'
import { queryClient } from './query-client.ts'
import { sessionQuery } from './session.ts'

const channel = new BroadcastChannel('session')

/** Tells the other tabs of this browser that a user has signed in or out: they share the cookie. */
export const announceSession = (): void => channel.postMessage('changed')

/**
 * Asks whose session this is now. Where it has ended, the user is asked to sign in again; where another user has signed in, the page is reloaded, as it
 * shows what that user must not see; where the same user has signed in elsewhere, the page continues.
 */
export async function checkSession(): Promise<void> {
  const known = queryClient.getQueryData(sessionQuery.queryKey)?.user ?? null
  if (known === null) return
  const session = await read('session/read', null, {})
  const { user } = session
  if (user === null) return void sessionEnd.signInAgain({ isOwnAct: false })
  if (user.id !== known.id) return window.location.reload()
  if (sessionEnd.state === 'none') return
  queryClient.setQueryData(sessionQuery.queryKey, session)
  sessionEnd.end(true)
  connection.retryNow()
  await queryClient.invalidateQueries()
}

channel.addEventListener('message', () => void checkSession().catch(() => undefined))

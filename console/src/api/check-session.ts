import { connection } from '../connection/connection.ts'
import { sessionEnd } from '../connection/session-end.ts'
import { read } from './call.ts'
import { queryClient } from './query-client.ts'
import { sessionQuery } from './session.ts'

const channel = new BroadcastChannel('session')

/** Notifies the other tabs of this browser of a sign-in or sign-out: they share the cookie. */
export const announceSession = (): void => channel.postMessage('changed')

/**
 * Reads the current session. If it has ended, the user is asked to sign in again. If another user has signed in, the
 * page is reloaded: it shows what that user must not see. If the same user has signed in elsewhere, the page continues.
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

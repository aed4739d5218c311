import { onlineManager, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { AnswerOf } from '../../../src/api/console/calls.ts'
import { sessionEnd } from '../connection/session-end.ts'
import { CallFailed, type Problem, read } from './call.ts'
import { keyOf } from './use-call.ts'

const readSession = (): Promise<AnswerOf<'session/read'>> => read('session/read', null, {})

/**
 * Query for the signed-in user and their accounts. If the session has ended under an open page, the user is asked to
 * sign in again, and stays known after declining. If another user has signed in, in another tab, the page is reloaded.
 */
export const sessionQuery = queryOptions({
  queryKey: keyOf('session/read', null, {}),
  queryFn: async ({ client, queryKey }): Promise<AnswerOf<'session/read'>> => {
    const known = client.getQueryData<AnswerOf<'session/read'>>(queryKey)?.user ?? null
    let session = await readSession()
    if (known !== null && session.user === null) {
      if (!(await sessionEnd.signInAgain({ isOwnAct: false }))) throw new CallFailed(sessionEnded)
      session = await readSession()
    }
    if (known === null || session.user?.id === known.id) return session
    window.location.reload()
    return new Promise(() => undefined)
  },
  staleTime: 5 * 60_000,
})

/** Returns the session; the last known one while the server is unreachable, so that open pages stay. */
export async function knownSession(client: QueryClient): Promise<AnswerOf<'session/read'>> {
  const known = client.getQueryData(sessionQuery.queryKey)
  if (known !== undefined && !onlineManager.isOnline()) return known
  try {
    return await client.fetchQuery(sessionQuery)
  } catch (error) {
    if (known === undefined) throw error
    return known
  }
}

const sessionEnded: Problem = {
  status: 401,
  code: 'not_signed_in',
  title: 'You are not signed in.',
  detail: 'Sign in and try again.',
}

import { onlineManager, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { AnswerOf } from '../../../src/api/console/calls.ts'
import { sessionEnd } from '../connection/session-end.ts'
import { read } from './call.ts'
import { keyOf } from './use-call.ts'

const readSession = (): Promise<AnswerOf<'session/read'>> => read('session/read', null, {})

/** Who is signed in, and which accounts are theirs. Where a session has ended under an open page, the user is asked to sign in again first. */
export const sessionQuery = queryOptions({
  queryKey: keyOf('session/read', null, {}),
  queryFn: async () => {
    const session = await readSession()
    const isNew = session.user === null && (await sessionEnd.signInAgain({ isOwnAct: true }))
    if (isNew) return readSession()
    if (session.user === null) sessionEnd.forget()
    return session
  },
  staleTime: 5 * 60_000,
})

/** The same as far as it can be known: what was known last while the server cannot be asked, so that no page vanishes by it. */
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

import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { connection } from '../connection/connection.ts'
import { sessionEnd } from '../connection/session-end.ts'
import { CallFailed, isSignedOut } from './call.ts'
import { sessionQuery } from './session.ts'

/** A session that ended elsewhere is asked for anew by the next page, which then leads to the sign-in. */
const onError = (error: Error): void => {
  if (isSignedOut(error))
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey, refetchType: 'none' })
}

/** What is shown is told of changes by the live stream; nothing asks again by the clock. What was left missed them: it is shown at once and asked for anew. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // Offline a change is to fail and be said, not to be made hours later.
    mutations: { networkMode: 'always' },
    queries: {
      staleTime: 0,
      refetchOnWindowFocus: false,
      // A refusal stays one; only what did not arrive is worth another try.
      retry: (failures, error) => failures < 2 && !(error instanceof CallFailed && error.status < 500),
    },
  },
})

// What changed while the connection was lost was not seen.
connection.onRestored(() => void queryClient.invalidateQueries())
sessionEnd.askOnlyWhile(() => (queryClient.getQueryData(sessionQuery.queryKey)?.user ?? null) !== null)

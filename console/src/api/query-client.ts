import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { connection } from '../connection/connection.ts'
import { sessionEnd } from '../connection/session-end.ts'
import { CallFailed, isSignedOut } from './call.ts'
import { sessionQuery } from './session.ts'

/** After a session has ended elsewhere, the next page reads it again and redirects to sign-in. */
const onError = (error: Error): void => {
  if (isSignedOut(error))
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey, refetchType: 'none' })
}

/**
 * Visible data is updated by the live stream, not by polling. Data of pages that were left is shown from the cache and
 * read again.
 */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // Offline, a change must fail visibly, not run hours later.
    mutations: { networkMode: 'always' },
    queries: {
      staleTime: 0,
      refetchOnWindowFocus: false,
      // A rejection is final; only failed requests are retried.
      retry: (failures, error) => failures < 2 && !(error instanceof CallFailed && error.status < 500),
    },
  },
})

// Changes during a lost connection were missed.
connection.onRestored(() => void queryClient.invalidateQueries())
sessionEnd.askOnlyWhile(() => (queryClient.getQueryData(sessionQuery.queryKey)?.user ?? null) !== null)

import { QueryClient } from '@tanstack/react-query'
import { CallFailed } from './call.ts'

/** What was asked for is kept and told of changes by the live stream; nothing asks again by the clock. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // A refusal stays one; only what did not arrive is worth another try.
      retry: (failures, error) => failures < 2 && !(error instanceof CallFailed && error.status < 500),
    },
  },
})

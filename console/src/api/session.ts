import { queryOptions } from '@tanstack/react-query'
import { read } from './call.ts'
import { keyOf } from './use-call.ts'

/** Who is signed in, and which accounts are theirs. */
export const sessionQuery = queryOptions({
  queryKey: keyOf('session/read', null, {}),
  queryFn: () => read('session/read', null, {}),
  staleTime: 5 * 60_000,
})

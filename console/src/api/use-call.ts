import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { AnswerOf, CallName, InputOf } from '../../../src/api/console/calls.ts'
import { change, type Place, read } from './call.ts'
import { usePlace } from './place.ts'

/** Returns the cache key of a call. */
export const keyOf = <N extends CallName<'read'>>(name: N, place: Place | null, input?: InputOf<N>) =>
  [name, place?.accountId ?? null, place?.mode ?? null, ...(input === undefined ? [] : [input])] as const

/** Reads data of this page's account. */
export function useCall<N extends CallName<'read'>>(
  name: N,
  input: InputOf<N>,
  {
    keepsPrevious = false,
    everyMs = false,
    ...options
  }: {
    enabled?: boolean
    keepsPrevious?: boolean
    /** Reads again at this interval: for what the live stream does not have. */
    everyMs?: number | false
  } = {},
): UseQueryResult<AnswerOf<N>> {
  const place = usePlace()
  return useQuery({
    queryKey: keyOf(name, place, input),
    queryFn: () => read(name, place, input),
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
    refetchInterval: everyMs,
    ...options,
  })
}

/** Returns a mutation. After it succeeds, the calls listed in `outdates` are read again. */
export function useChange<N extends CallName<'change'>>(
  name: N,
  outdates: readonly CallName<'read'>[] = [],
): UseMutationResult<AnswerOf<N>, Error, InputOf<N>> {
  const place = usePlace()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: InputOf<N>) => change(name, place, input),
    onSuccess: () => {
      for (const outdated of outdates) void client.invalidateQueries({ queryKey: [outdated] })
    },
  })
}

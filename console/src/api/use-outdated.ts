import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { LiveTopic } from '../../../src/api/console/core/live-feed.ts'
import type { CallName } from '../../../src/api/console/calls.ts'
import { useLive } from './live.ts'
import { useAccountPlace } from './place.ts'

/**
 * Asks anew for answers when the server tells of a change: at once, then not again until `pauseMs` after the answers came, and once behind it. What is
 * being read is read to its end: on a busy account it would be broken off again and again.
 */
export function useOutdated(
  topics: readonly LiveTopic[],
  names: readonly CallName<'read'>[],
  pauseMs: number,
): void {
  const client = useQueryClient()
  const { accountId, mode } = useAccountPlace()
  const pause = useRef<{ again: boolean; timer?: ReturnType<typeof setTimeout> } | null>(null)
  useEffect(
    () => () => {
      clearTimeout(pause.current?.timer)
      pause.current = null
    },
    [accountId, mode],
  )
  const ask = async (): Promise<void> => {
    const keys = names.map((name) => [name, accountId, mode])
    // What is being read already may have been read before the change.
    const own: NonNullable<typeof pause.current> = {
      again: keys.some((queryKey) => client.isFetching({ queryKey }) > 0),
    }
    pause.current = own
    await Promise.all(
      keys.map((queryKey) => client.invalidateQueries({ queryKey }, { cancelRefetch: false })),
    )
    // The page was left meanwhile.
    if (pause.current !== own) return
    own.timer = setTimeout(() => {
      pause.current = null
      if (own.again) void ask()
    }, pauseMs)
  }
  useLive(topics, () => {
    if (pause.current === null) void ask()
    else pause.current.again = true
  })
}

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { LiveTopic } from '../../../src/api/console/core/live-feed.ts'
import type { CallName } from '../../../src/api/console/calls.ts'
import { useLive } from './live.ts'
import { useAccountPlace } from './place.ts'

/**
 * Reads calls again when the server reports a change: immediately, then not before `pauseMs` after the response, and
 * once more if changes were reported meanwhile. A running read is not aborted: on a busy account none would finish.
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
  const refresh = async (): Promise<void> => {
    const keys = names.map((name) => [name, accountId, mode])
    // A read in flight may have started before the change.
    const own: NonNullable<typeof pause.current> = {
      again: keys.some((queryKey) => client.isFetching({ queryKey }) > 0),
    }
    pause.current = own
    await Promise.all(
      keys.map((queryKey) => client.invalidateQueries({ queryKey }, { cancelRefetch: false })),
    )
    // The page was left in the meantime.
    if (pause.current !== own) return
    own.timer = setTimeout(() => {
      pause.current = null
      if (own.again) void refresh()
    }, pauseMs)
  }
  useLive(topics, () => {
    if (pause.current === null) void refresh()
    else pause.current.again = true
  })
}

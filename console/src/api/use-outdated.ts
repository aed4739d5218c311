import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { LiveTopic } from '../../../src/api/console/live-feed.ts'
import type { CallName } from '../../../src/api/console/calls.ts'
import { useLive } from './live.ts'
import { useAccountPlace } from './place.ts'

/** Asks anew for answers when the server tells of a change: at once, then not again within `pauseMs`, and once behind it. */
export function useOutdated(topic: LiveTopic, names: readonly CallName<'read'>[], pauseMs: number): void {
  const client = useQueryClient()
  const { accountId, mode } = useAccountPlace()
  const pause = useRef<{ timer: ReturnType<typeof setTimeout>; again: boolean } | null>(null)
  useEffect(
    () => () => {
      if (pause.current !== null) clearTimeout(pause.current.timer)
      pause.current = null
    },
    [],
  )
  const ask = (): void => {
    for (const name of names) void client.invalidateQueries({ queryKey: [name, accountId, mode] })
    const timer = setTimeout(() => {
      const again = pause.current?.again === true
      pause.current = null
      if (again) ask()
    }, pauseMs)
    pause.current = { timer, again: false }
  }
  useLive(topic, () => {
    if (pause.current === null) ask()
    else pause.current.again = true
  })
}

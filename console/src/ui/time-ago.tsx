import { Text } from '@mantine/core'
import { useEffect, useReducer } from 'react'
import { formatElapsed, formatExact, formatRelative } from './format.ts'

/** Shows how long ago a moment was; the tooltip has the exact time. */
export function TimeAgo({ at }: { at: string | number }) {
  const atMs = typeof at === 'number' ? at : Date.parse(at)
  useTurns()
  return (
    <Text component="time" inherit span dateTime={new Date(atMs).toISOString()} title={formatExact(atMs)}>
      {formatRelative(atMs, Date.now())}
    </Text>
  )
}

/** Shows for how long a state has lasted; the tooltip has the exact time of its start. */
export function TimeFor({ since }: { since: number }) {
  useTurns()
  return (
    <Text component="time" inherit span dateTime={new Date(since).toISOString()} title={formatExact(since)}>
      for {formatElapsed(Date.now() - since)}
    </Text>
  )
}

const turnMs = 10_000

/** Renders again every 10 s. Each render reads the clock: an event after the last tick would be in the future. */
function useTurns(): void {
  const [, turn] = useReducer((turns: number) => turns + 1, 0)
  useEffect(() => {
    const turning = setInterval(turn, turnMs)
    return () => clearInterval(turning)
  }, [])
}

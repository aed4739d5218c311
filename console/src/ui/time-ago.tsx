import { Text } from '@mantine/core'
import { useEffect, useReducer } from 'react'
import { formatExact, formatRelative } from './format.ts'

/** How long ago something was; hovering shows the moment itself. */
export function TimeAgo({ at }: { at: string | number }) {
  const atMs = typeof at === 'number' ? at : Date.parse(at)
  useTurns()
  return (
    <Text component="time" inherit span dateTime={new Date(atMs).toISOString()} title={formatExact(atMs)}>
      {formatRelative(atMs, Date.now())}
    </Text>
  )
}

const turnMs = 10_000

/** Draws again from time to time. What time it is is asked at each drawing: news would lie in the future of the last turn. */
function useTurns(): void {
  const [, turn] = useReducer((turns: number) => turns + 1, 0)
  useEffect(() => {
    const turning = setInterval(turn, turnMs)
    return () => clearInterval(turning)
  }, [])
}

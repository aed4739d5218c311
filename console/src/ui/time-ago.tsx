import { Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { formatExact, formatRelative } from './format.ts'

/** How long ago something was; hovering shows the moment itself. */
export function TimeAgo({ at }: { at: string | number }) {
  const atMs = typeof at === 'number' ? at : Date.parse(at)
  const nowMs = useNow()
  return (
    <Text component="time" inherit span dateTime={new Date(atMs).toISOString()} title={formatExact(atMs)}>
      {formatRelative(atMs, nowMs)}
    </Text>
  )
}

const turnMs = 10_000

function useNow(): number {
  const [nowMs, setNow] = useState(() => Date.now())
  useEffect(() => {
    const turning = setInterval(() => setNow(Date.now()), turnMs)
    return () => clearInterval(turning)
  }, [])
  return nowMs
}

import { Badge } from '@mantine/core'
import { useIsCurrent } from '../connection/connection-bar.tsx'
import { messageStates, type MessageStatus } from './message-states.ts'

/** Shows the status of a message in its colour, in grey while the connection is lost; its meaning is the tooltip. */
export function MessageState({ of, size = 'sm' }: { of: MessageStatus; size?: 'sm' | 'lg' }) {
  const { color, means } = messageStates[of]
  const isCurrent = useIsCurrent()
  return (
    <Badge
      variant="light"
      color={isCurrent ? color : 'gray'}
      size={size}
      title={means}
      style={{ flexShrink: 0 }}
    >
      {of}
    </Badge>
  )
}

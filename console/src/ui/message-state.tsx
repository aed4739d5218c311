import { Badge } from '@mantine/core'
import { useIsCurrent } from '../connection/connection-bar.tsx'
import { messageStates, type MessageStatus } from './message-states.ts'

/** The state of a message: a word in its colour, in grey while the connection is lost; hovering says what it means. */
export function MessageState({ of, size = 'sm' }: { of: MessageStatus; size?: 'sm' | 'lg' }) {
  const { color, means } = messageStates[of]
  const isCurrent = useIsCurrent()
  return (
    <Badge
      variant="light"
      color={isCurrent ? color : 'gray'}
      size={size}
      tt="none"
      title={means}
      style={{ flexShrink: 0 }}
    >
      {of}
    </Badge>
  )
}

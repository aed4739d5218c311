import { Badge } from '@mantine/core'
import { messageStates, type MessageStatus } from './message-states.ts'

/** The state of a message: a word in its colour; hovering says what it means. */
export function MessageState({ of, size = 'sm' }: { of: MessageStatus; size?: 'sm' | 'lg' }) {
  const { color, means } = messageStates[of]
  return (
    <Badge variant="light" color={color} size={size} tt="none" title={means} style={{ flexShrink: 0 }}>
      {of}
    </Badge>
  )
}

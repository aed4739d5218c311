import { Alert, Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { SendAnswer } from '../../../src/api/console/messages/send-from-console.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { searchOf } from '../api/search.ts'
import { formatExact, formatNumber } from '../ui/format.ts'

/** Confirms that a send was accepted, with a link to its messages. */
export function Sent({ answer, onClose }: { answer: SendAnswer; onClose: () => void }) {
  const { messages, totals } = answer
  const [first] = messages
  const sendAt = first?.send_at ?? null
  const history = pathOf(useAccountPlace(), '/history')
  const target =
    messages.length === 1 && first !== undefined
      ? { to: `${history}/${first.id}` }
      : { to: history, search: searchOf({ send: answer.id }) }
  return (
    <Alert
      color="teal"
      variant="light"
      role="status"
      title="Accepted"
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      <Text size="sm">
        {formatNumber(totals.recipients)} {totals.recipients === 1 ? 'message' : 'messages'},{' '}
        {formatNumber(totals.parts)} SMS held
        {sendAt === null ? '' : `, to be sent at ${formatExact(Date.parse(sendAt))}`}.{' '}
        <Anchor component={Link} {...target} size="sm" c="inherit">
          View {messages.length === 1 ? 'message' : 'messages'}
        </Anchor>
      </Text>
    </Alert>
  )
}

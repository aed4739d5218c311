import { Button, Stack, Text } from '@mantine/core'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { notify } from '../ui/notify.ts'

/** Of a message what canceling and moving it need to know. */
export interface WaitingMessage {
  id: string
  to: string
  /** SMS that are held for it. */
  held: number
  isWithDevice: boolean
  sendAtMs: number | null
}

const said = {
  canceled: 'Nothing of it was sent, and its SMS are free again.',
  asked: 'A phone holds it and is asked to let it go. Its page shows whether it did.',
  too_late: 'It was handed over or final already: nothing was changed.',
} as const

/** Asks once more, and says what became of it. */
export function CancelMessage({ message, onClose }: { message: WaitingMessage; onClose: () => void }) {
  const cancel = useChange('history/cancel', ['history/message', 'history/page'])
  const told = ({ result }: { result: keyof typeof said | 'not_found' }): void => {
    onClose()
    if (result !== 'not_found') void notify({ message: said[result] })
  }
  return (
    <Stack>
      <Text size="sm">
        The message to {message.to} will not be sent, and its {message.held} SMS are free again.
        {message.isWithDevice ? ' A phone that holds it is asked; it may be too late.' : ''}
      </Text>
      <CallFault error={cancel.error} />
      <Button
        color="red"
        loading={cancel.isPending}
        onClick={() => cancel.mutate({ id: message.id }, { onSuccess: told })}
      >
        Cancel the message to {message.to}
      </Button>
    </Stack>
  )
}

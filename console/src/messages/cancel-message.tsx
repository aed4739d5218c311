import { Button, Stack, Text } from '@mantine/core'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { notify } from '../ui/notify.ts'

/** The members of a message that canceling and rescheduling need. */
export interface WaitingMessage {
  id: string
  to: string
  /** SMS held for the message. */
  held: number
  isWithDevice: boolean
  sendAtMs: number | null
}

const results = {
  canceled: 'Canceled. Nothing was sent, and its SMS are released.',
  asked: 'A recall was sent to the phone. The page of the message shows the result.',
  too_late: 'Already submitted or final. Nothing was changed.',
} as const

/** Asks for confirmation, cancels a message and shows the result. */
export function CancelMessage({ message, onClose }: { message: WaitingMessage; onClose: () => void }) {
  const cancel = useChange('history/cancel', ['history/message', 'history/page'])
  const showResult = ({ result }: { result: keyof typeof results | 'not_found' }): void => {
    onClose()
    if (result !== 'not_found') void notify({ message: results[result] })
  }
  return (
    <Stack>
      <Text size="sm">
        The message to {message.to} will not be sent, and its {message.held} SMS will be released.
        {message.isWithDevice ? ' It is already on a phone, so a recall may come too late.' : ''}
      </Text>
      <CallFault error={cancel.error} />
      <Button
        color="red"
        loading={cancel.isPending}
        onClick={() => cancel.mutate({ id: message.id }, { onSuccess: showResult })}
      >
        Cancel message to {message.to}
      </Button>
    </Stack>
  )
}

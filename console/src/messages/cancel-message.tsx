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
  /** Only own devices carry it, for nothing: no SMS of the balance is held. */
  isFree: boolean
  isWithDevice: boolean
  sendAtMs: number | null
}

const results = {
  canceled: 'Canceled. Nothing was sent, and its SMS are released.',
  free: 'Canceled. Nothing was sent, and the balance is unchanged: own devices cost nothing.',
  asked: 'A recall was sent to the phone. The page of the message shows the result.',
  too_late: 'Already submitted or final. Nothing was changed.',
} as const

const costText = ({ held, isFree }: WaitingMessage): string =>
  isFree ? '. The balance is unchanged: own devices cost nothing' : `, and its ${held} SMS will be released`

/** Asks for confirmation, cancels a message and shows the result. */
export function CancelMessage({ message, onClose }: { message: WaitingMessage; onClose: () => void }) {
  const cancel = useChange('history/cancel', ['history/message', 'history/page'])
  const showResult = ({ result }: { result: Exclude<keyof typeof results, 'free'> | 'not_found' }): void => {
    onClose()
    if (result === 'not_found') return
    void notify({ message: results[result === 'canceled' && message.isFree ? 'free' : result] })
  }
  return (
    <Stack>
      <Text size="sm">
        The message to {message.to} will not be sent{costText(message)}.
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

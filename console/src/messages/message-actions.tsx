import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import type { MessagePage } from '../../../src/api/console/messages/message-page.ts'
import { useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import type { WaitingMessage } from './cancel-message.tsx'

const CancelMessage = lazyPart(async () => (await import('./cancel-message.tsx')).CancelMessage)
const MoveMessage = lazyPart(async () => (await import('./move-message.tsx')).MoveMessage)

/** Buttons of a message: show it as a curl command, send it again, reschedule it, cancel it. */
export function MessageActions({ page }: { page: MessagePage }) {
  const [showsCurl, curl] = useDisclosure()
  const [sending, again] = useDisclosure()
  const [canceling, cancel] = useDisclosure()
  const [moving, move] = useDisclosure()
  if (page.curl === null && !page.canCancel) return null
  return (
    <Group gap="xs">
      {page.curl === null ? null : (
        <>
          <Button size="xs" variant="default" onClick={curl.open}>
            Show as curl
          </Button>
          <Button size="xs" variant="default" onClick={again.open}>
            Send again
          </Button>
        </>
      )}
      {page.canMove ? (
        <Button size="xs" variant="default" onClick={move.open}>
          Reschedule
        </Button>
      ) : null}
      {page.canCancel ? (
        <Button size="xs" color="red" variant="light" onClick={cancel.open}>
          Cancel
        </Button>
      ) : null}
      <Dialog opened={showsCurl} onClose={curl.close} title="Send with curl" size="lg">
        <Curl line={page.curl ?? ''} />
      </Dialog>
      <Dialog opened={sending} onClose={again.close} title="Send again">
        <SendAgain page={page} onClose={again.close} />
      </Dialog>
      <Dialog opened={canceling} onClose={cancel.close} title="Cancel message">
        <CancelMessage message={waitingOf(page)} onClose={cancel.close} />
      </Dialog>
      <Dialog opened={moving} onClose={move.close} title="Reschedule message">
        <MoveMessage message={waitingOf(page)} onClose={move.close} />
      </Dialog>
    </Group>
  )
}

const waitingOf = ({ message }: MessagePage): WaitingMessage => ({
  id: message.id,
  to: message.to ?? 'an unknown number',
  held: message.cost.held,
  isFree: message.cost.paid_by === 'own_device',
  isWithDevice: message.status === 'sending',
  sendAtMs: message.send_at === null ? null : Date.parse(message.send_at),
})

function Curl({ line }: { line: string }) {
  return (
    <Stack>
      <Code block tabIndex={0} role="region" aria-label="curl command">
        {line}
      </Code>
      <Group justify="space-between">
        <Text size="sm">Replace YOUR_API_KEY with one of your API keys.</Text>
        <CopyButton text={line} of="the command" />
      </Group>
    </Stack>
  )
}

interface ActionProperties {
  page: MessagePage
  onClose: () => void
}

function SendAgain({ page: { message }, onClose }: ActionProperties) {
  // One key per opening of the dialog: a double click sends once.
  const [key] = useState(() => crypto.randomUUID())
  const place = useAccountPlace()
  const navigate = useNavigate()
  const send = useChange('history/send-again', ['history/page'])
  // The second of two quick clicks may be rejected while the first is in flight: handle either response.
  const run = async (): Promise<void> => {
    const { messageId } = await send.mutateAsync({ id: message.id, key })
    onClose()
    await navigate({ to: '/a/$accountId/$mode/history/$messageId', params: { ...place, messageId } })
  }
  return (
    <Stack>
      <Text size="sm">
        This sends a new message with the same text to {message.to} and costs {message.parts} SMS.
      </Text>
      {message.final && message.error?.retryable !== true ? (
        <Alert color="yellow" variant="light">
          {message.error === null || message.status === 'unconfirmed'
            ? 'This message may have arrived: the recipient may receive the text twice.'
            : 'The new message may fail for the same reason.'}
        </Alert>
      ) : null}
      {message.final ? null : (
        <Alert color="yellow" variant="light">
          This message is still in progress: the recipient may receive the text twice.
        </Alert>
      )}
      <CallFault error={send.error} />
      <Button loading={send.isPending} onClick={() => void run().catch(() => undefined)}>
        Send again to {message.to}
      </Button>
    </Stack>
  )
}

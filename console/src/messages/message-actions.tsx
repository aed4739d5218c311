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

/** What a person can do with a message: have it as a line for a shell, send it again, give it another time, cancel it. */
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
            As curl
          </Button>
          <Button size="xs" variant="default" onClick={again.open}>
            Send again
          </Button>
        </>
      )}
      {page.canMove ? (
        <Button size="xs" variant="default" onClick={move.open}>
          Move
        </Button>
      ) : null}
      {page.canCancel ? (
        <Button size="xs" color="red" variant="light" onClick={cancel.open}>
          Cancel
        </Button>
      ) : null}
      <Dialog opened={showsCurl} onClose={curl.close} title="The same from a shell" size="lg">
        <Curl line={page.curl ?? ''} />
      </Dialog>
      <Dialog opened={sending} onClose={again.close} title="Send again?">
        <SendAgain page={page} onClose={again.close} />
      </Dialog>
      <Dialog opened={canceling} onClose={cancel.close} title="Cancel this message?">
        <CancelMessage message={waitingOf(page)} onClose={cancel.close} />
      </Dialog>
      <Dialog opened={moving} onClose={move.close} title="Send at another time?">
        <MoveMessage message={waitingOf(page)} onClose={move.close} />
      </Dialog>
    </Group>
  )
}

const waitingOf = ({ message }: MessagePage): WaitingMessage => ({
  id: message.id,
  to: message.to ?? 'an unknown number',
  held: message.cost.held,
  isWithDevice: message.status === 'sending',
  sendAtMs: message.send_at === null ? null : Date.parse(message.send_at),
})

function Curl({ line }: { line: string }) {
  return (
    <Stack>
      <Code block tabIndex={0} role="region" aria-label="The line for a shell">
        {line}
      </Code>
      <Group justify="space-between">
        <Text size="sm">Put one of your keys in the place of YOUR_API_KEY.</Text>
        <CopyButton text={line} of="the line" />
      </Group>
    </Stack>
  )
}

interface ActionProperties {
  page: MessagePage
  onClose: () => void
}

function SendAgain({ page: { message }, onClose }: ActionProperties) {
  // One for each opening of the dialog: pressing twice sends once.
  const [key] = useState(() => crypto.randomUUID())
  const place = useAccountPlace()
  const navigate = useNavigate()
  const send = useChange('history/send-again', ['history/page'])
  // Of two quick clicks the second may be refused while the first is under way: either answer is followed, not the last one alone.
  const run = async (): Promise<void> => {
    const { messageId } = await send.mutateAsync({ id: message.id, key })
    onClose()
    await navigate({ to: '/a/$accountId/$mode/history/$messageId', params: { ...place, messageId } })
  }
  return (
    <Stack>
      <Text size="sm">
        A new message with the same text goes to {message.to} and costs {message.parts} SMS.
      </Text>
      {message.final && message.error?.retryable !== true ? (
        <Alert color="yellow" variant="light">
          {message.error === null || message.status === 'unconfirmed'
            ? 'This one may have arrived: the recipient may get the text twice.'
            : 'The same cause may stop the new message, too.'}
        </Alert>
      ) : null}
      {message.final ? null : (
        <Alert color="yellow" variant="light">
          This one is still on its way: the recipient may get the text twice.
        </Alert>
      )}
      <CallFault error={send.error} />
      <Button loading={send.isPending} onClick={() => void run().catch(() => undefined)}>
        Send again to {message.to}
      </Button>
    </Stack>
  )
}

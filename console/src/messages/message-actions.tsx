import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { MessagePage } from '../../../src/api/console/message-page.ts'
import { useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** What a person can do with a message: have it as a line for a shell, send it again, cancel it. */
export function MessageActions({ page }: { page: MessagePage }) {
  const [showsCurl, curl] = useDisclosure()
  const [sending, again] = useDisclosure()
  const [canceling, cancel] = useDisclosure()
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
        <Cancel page={page} onClose={cancel.close} />
      </Dialog>
    </Group>
  )
}

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

const canceled = {
  canceled: 'Nothing of it was sent, and its SMS are free again.',
  asked: 'A phone holds it and is asked to let it go. This page shows whether it did.',
  too_late: 'It was handed over or final already: nothing was changed.',
} as const

function Cancel({ page: { message }, onClose }: ActionProperties) {
  const cancel = useChange('history/cancel', ['history/message', 'history/page'])
  const told = ({ result }: { result: keyof typeof canceled | 'not_found' }): void => {
    onClose()
    if (result !== 'not_found') notifications.show({ message: canceled[result] })
  }
  return (
    <Stack>
      <Text size="sm">
        The message to {message.to} will not be sent, and its {message.cost.held} SMS are free again.
        {message.status === 'sending' ? ' A phone that holds it is asked; it may be too late.' : ''}
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

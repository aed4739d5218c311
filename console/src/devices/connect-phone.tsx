import { Alert, Button, Checkbox, Code, Group, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { PhoneInvitation } from '../../../src/api/console/devices/device-connect-calls.ts'
import { useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { capitalized } from './device-state.tsx'
import { PhoneProgress } from './phone-progress.tsx'

/** Shows what to enter in the app of a phone, and the progress until the phone is connected. */
export function ConnectPhone({ isOperator, onClose }: { isOperator: boolean; onClose: () => void }) {
  const { mode } = useAccountPlace()
  const [isShared, setShared] = useState(false)
  const invite = useChange('devices/invite-phone')
  if (invite.data !== undefined) return <Invitation invitation={invite.data} onClose={onClose} />
  return (
    <Stack>
      <Text size="sm">
        The phone runs the free SMSGate app (version 1.53.1 or later) and sends with its own SIM. It will send{' '}
        {mode} messages.
      </Text>
      {isOperator ? (
        <Checkbox
          label="Shared: all accounts can use it"
          checked={isShared}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
      ) : null}
      <CallFault error={invite.error} />
      <Button loading={invite.isPending} onClick={() => invite.mutate({ isShared })}>
        Show setup instructions
      </Button>
    </Stack>
  )
}

function Invitation({ invitation, onClose }: { invitation: PhoneInvitation; onClose: () => void }) {
  const { tokenId, address, token, trouble, addressCode, tokenCode } = invitation
  return (
    <PhoneProgress tokenId={tokenId} onClose={onClose}>
      {trouble === null ? (
        <Text size="sm" c="dimmed">
          The server reaches itself at this address. Only a phone can show that a phone can reach it.
        </Text>
      ) : (
        <Alert color="yellow" variant="light" title="The phone cannot reach this address yet">
          <Text size="sm">
            <b>{capitalized(trouble.part)}</b>: {trouble.summary}
          </Text>
          <Text size="sm">{trouble.remedy}</Text>
        </Alert>
      )}
      <List type="ordered" size="sm" spacing="xs" withPadding>
        <List.Item>
          In the app open <b>Settings, Cloud Server</b> and enter the values below. The app cannot scan codes:
          scan them with the camera of the phone, and paste.
        </List.Item>
        <List.Item>
          Set <b>Notification channel</b> to <b>SSE Only</b>: the other channels need Google push, which only
          the developers of the app can send.
        </List.Item>
        <List.Item>
          Switch <b>Cloud Server</b> on, tap <b>Offline</b> and choose <b>Sign Up</b>.
        </List.Item>
      </List>
      <ToType label="API URL" text={address} code={addressCode} />
      <ToType label="Private token, shown only once" text={token} code={tokenCode} />
    </PhoneProgress>
  )
}

function ToType({
  label,
  text,
  code,
}: {
  label: string
  text: string
  code: PhoneInvitation['addressCode']
}) {
  return (
    <Group wrap="nowrap" align="flex-start" justify="space-between" gap="sm">
      <Stack gap={4} miw={0}>
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <Code
          fz="sm"
          style={{ overflowWrap: 'anywhere' }}
          data-testid={`type-${label.split(/[ ,]/)[0]?.toLowerCase()}`}
        >
          {text}
        </Code>
        <Group>
          <CopyButton text={text} of={label} />
        </Group>
      </Stack>
      <QrCode code={code} of={label} />
    </Group>
  )
}

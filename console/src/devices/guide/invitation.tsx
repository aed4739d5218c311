import { Button, Code, Group, Stack, Text } from '@mantine/core'
import type { PhoneInvitation } from '../../../../src/api/console/devices/device-connect-calls.ts'
import { useChange } from '../../api/use-call.ts'
import { CallFault } from '../../ui/call-fault.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import type { Guide } from './guide.ts'

/** Shows what to enter in the app, each text with its code for the camera of the phone. */
export function Invitation({ invitation }: { invitation: PhoneInvitation }) {
  const { address, token, addressCode, tokenCode } = invitation
  return (
    <Stack>
      <ToType label="API URL" text={address} code={addressCode} />
      <ToType label="Private Token, shown only once" text={token} code={tokenCode} />
    </Stack>
  )
}

/** Connects to the address of phones again, after a change. */
export function TryAddress({ guide }: { guide: Guide }) {
  const attempt = useChange('devices/try-address')
  return (
    <Stack gap="xs" align="start">
      <CallFault error={attempt.error} />
      <Button
        size="xs"
        variant="default"
        loading={attempt.isPending}
        onClick={() => attempt.mutate({}, { onSuccess: (address) => guide.note({ address }) })}
      >
        Try address again
      </Button>
    </Stack>
  )
}

function ToType(properties: { label: string; text: string; code: PhoneInvitation['addressCode'] }) {
  const { label, text, code } = properties
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

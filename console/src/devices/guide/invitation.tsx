import { Code, Group, Stack, Text } from '@mantine/core'
import type { PhoneInvitation } from '../../../../src/api/console/devices/device-connect-calls.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { QrCode } from '../../ui/qr-code.tsx'

/** An invitation, and whether its phone will be shared. */
export interface OwnInvitation extends PhoneInvitation {
  isShared: boolean
}

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

function ToType(properties: { label: string; text: string; code: PhoneInvitation['addressCode'] }) {
  const { label, text, code } = properties
  return (
    <Group align="flex-start" justify="space-between" gap="sm">
      <Stack gap={4} flex="1 1 200px">
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

import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ConsoleDevice } from '../../../src/api/console/devices/device-view.ts'
import { useCall } from '../api/use-call.ts'
import { ToCopy } from '../ui/to-copy.tsx'

/** The addresses of this server that are set at the messaging service of a device. Nothing for other devices. */
export function ProviderAddresses({ device }: { device: ConsoleDevice }) {
  const addresses = useCall('devices/addresses', { deviceId: device.id }).data?.addresses ?? null
  if (addresses === null) return null
  const { receipts, received } = addresses
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Title order={2}>Addresses for the messaging service</Title>
        <Text size="sm">
          Set them there, unless the service takes them with each message. Keep them a secret: who knows them
          can report on messages, where the service signs nothing.
        </Text>
        {receipts === null ? null : <Address label="Delivery receipts" text={receipts} />}
        {received === null ? null : <Address label="Received messages" text={received} />}
      </Stack>
    </Paper>
  )
}

const Address = ({ label, text }: { label: string; text: string }) => (
  <div>
    <Text size="sm" fw={500}>
      {label}
    </Text>
    <ToCopy text={text} of={`address for ${label.toLowerCase()}`} />
  </div>
)

import { Button, Group, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { EmptyText, ListState } from '../ui/list-state.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { DeviceCard } from './device-card.tsx'
import { DeviceOrder } from './device-order.tsx'
import { type LaneHours, laneSpans } from './lane-spans.ts'
import { StrandedAlert } from './stranded-alert.tsx'
import { useDevicesLive } from './use-devices-live.ts'

/** Page with a card for each device, and a button to connect another one. */
export function DevicesPage() {
  const { mode } = useAccountPlace()
  const [hours, setHours] = useState<LaneHours>(24)
  const devices = useCall('devices/list', { hours })
  const [connecting, { open, close }] = useDisclosure()
  useDevicesLive()
  return (
    <Stack gap="lg" maw={1200}>
      <Group justify="space-between">
        <Title order={1}>Devices</Title>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Period"
            value={String(hours)}
            onChange={(value) => setHours(Number(value) as LaneHours)}
            data={laneSpans.map((span) => ({ value: String(span.hours), label: span.label }))}
          />
          <DeviceOrder />
          <Button size="xs" onClick={open}>
            Connect device
          </Button>
        </Group>
      </Group>
      <ListState
        query={devices}
        isEmpty={(answer) => answer.devices.length === 0}
        empty={
          <EmptyText title={`No devices for ${mode} messages yet`}>
            <Text size="sm">
              Connect an Android phone with its SIM, a GSM modem, an SMPP account of a carrier, or a
              simulator. Without a device, every send is rejected and nothing is stored.
            </Text>
            <Button size="xs" onClick={open}>
              Connect first device
            </Button>
          </EmptyText>
        }
        rows={3}
      >
        {(answer) => (
          <Stack>
            <StrandedAlert of={answer.stranded} what="an own device" remedy="Connect or enable one" />
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
              {answer.devices.map((device) => (
                <DeviceCard key={device.id} device={device} />
              ))}
            </SimpleGrid>
            {answer.total > answer.devices.length ? (
              <Text size="sm" c="dimmed">
                Showing {answer.devices.length} of {answer.total} devices, those with problems first.
              </Text>
            ) : null}
          </Stack>
        )}
      </ListState>
      <ConnectDialog opened={connecting} onClose={close} />
    </Stack>
  )
}

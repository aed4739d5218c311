import { Button, Group, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { EmptyWords, ListState } from '../ui/list-state.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { DeviceCard } from './device-card.tsx'
import { type LaneHours, laneSpans } from './lane-spans.ts'
import { useDevicesLive } from './use-devices-live.ts'

/** What carries messages: a card for each device, and how to connect another. */
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
            aria-label="Past shown"
            value={String(hours)}
            onChange={(value) => setHours(Number(value) as LaneHours)}
            data={laneSpans.map((span) => ({ value: String(span.hours), label: span.label }))}
          />
          <Button size="xs" onClick={open}>
            Connect a device
          </Button>
        </Group>
      </Group>
      <ListState
        query={devices}
        isEmpty={(answer) => answer.devices.length === 0}
        empty={
          <EmptyWords title={`Nothing carries ${mode} messages yet`}>
            <Text size="sm">
              Connect an Android phone with its SIM, a link to an operator, or a simulator. Without a device,
              every send is rejected and nothing is stored.
            </Text>
            <Button size="xs" onClick={open}>
              Connect the first device
            </Button>
          </EmptyWords>
        }
        rows={3}
      >
        {(answer) => (
          <Stack>
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
              {answer.devices.map((device) => (
                <DeviceCard key={device.id} device={device} />
              ))}
            </SimpleGrid>
            {answer.total > answer.devices.length ? (
              <Text size="sm" c="dimmed">
                The {answer.devices.length} that need looking after most, of {answer.total}.
              </Text>
            ) : null}
          </Stack>
        )}
      </ListState>
      <ConnectDialog opened={connecting} onClose={close} />
    </Stack>
  )
}

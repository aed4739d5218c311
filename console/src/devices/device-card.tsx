import { Anchor, Card, Group, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ConsoleDevice } from '../../../src/api/console/devices/device-view.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { BatteryCurve } from './battery-curve.tsx'
import { DeviceFacts, PaceBar, Troubles } from './device-facts.tsx'
import { DeviceState, kindOf, nameOf } from './device-state.tsx'
import { StrandedAlert } from './stranded-alert.tsx'
import { UptimeBar } from './uptime-lane.tsx'

/** Card with the state of a device. */
export function DeviceCard({ device }: { device: ConsoleDevice }) {
  const place = useAccountPlace()
  const name = nameOf(device)
  return (
    <Card withBorder component="article" aria-label={name} data-testid={device.id}>
      <Stack gap="sm">
        <Stack gap={4}>
          <Group justify="space-between" wrap="nowrap" align="baseline">
            <Title order={2} fz="md" style={{ overflowWrap: 'anywhere' }}>
              <Anchor component={Link} to={pathOf(place, `/devices/${device.id}`)} inherit>
                {name}
              </Anchor>
            </Title>
            <Text size="sm" c="dimmed">
              {kindOf(device)}
            </Text>
          </Group>
          <DeviceState device={device} />
        </Stack>
        <UptimeBar lane={device.lane} name={name} />
        <StrandedAlert of={device.waiting} what="this device" remedy="Resume it" />
        <Troubles device={device} />
        <PaceBar device={device} />
        <BatteryCurve device={device} />
        <DeviceFacts device={device} />
      </Stack>
    </Card>
  )
}

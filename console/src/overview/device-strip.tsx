import { Anchor, Group, Paper, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { NowAnswer } from '../../../src/api/console/messages/overview-calls.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { DeviceState } from '../devices/device-state.tsx'

/** Lists the devices available to this account, with their states. */
export function DeviceStrip({ of: { devices, devicesTotal } }: { of: NowAnswer }) {
  const place = useAccountPlace()
  if (devices.length === 0)
    return (
      <Text size="sm">
        No device for {place.mode} messages yet.{' '}
        <Anchor component={Link} to={pathOf(place, '/devices')} inherit>
          Connect device
        </Anchor>
      </Text>
    )
  return (
    <Group gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {devices.map((device) => (
        <Paper key={device.id} component="li" withBorder px="sm" py={6}>
          <Group gap="xs">
            <Text size="sm" fw={500} maw={220} truncate>
              {device.name ?? 'Shared device'}
            </Text>
            <DeviceState device={device} />
          </Group>
        </Paper>
      ))}
      {devicesTotal > devices.length ? <li>and {devicesTotal - devices.length} more</li> : null}
    </Group>
  )
}

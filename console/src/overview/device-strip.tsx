import { Anchor, Badge, Group, Paper, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { NowAnswer } from '../../../src/api/console/overview-calls.ts'
import { useAccountPlace } from '../api/place.ts'
import { TimeAgo } from '../ui/time-ago.tsx'

const colors = {
  online: 'teal',
  degraded: 'yellow',
  offline: 'red',
  pending: 'gray',
  disabled: 'gray',
} as const

/** The devices that may carry this account's messages, each with its state and since when. */
export function DeviceStrip({ of: { devices, devicesTotal } }: { of: NowAnswer }) {
  const { accountId, mode } = useAccountPlace()
  const base = `/a/${accountId}/${mode}`
  if (devices.length === 0)
    return (
      <Text size="sm">
        No device carries {mode} messages yet.{' '}
        <Anchor component={Link} to={`${base}/devices`} inherit>
          Connect one
        </Anchor>
      </Text>
    )
  return (
    <Group gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {devices.map((device) => (
        <Paper key={device.id} component="li" withBorder px="sm" py={6}>
          <Group gap="xs">
            <Badge variant="light" color={colors[device.status]}>
              {device.status}
            </Badge>
            <Text size="sm" fw={500} maw={220} truncate>
              {device.name ?? 'Shared device'}
            </Text>
            <Text size="xs" c="dimmed">
              {device.sinceMs === null ? null : (
                <>
                  since <TimeAgo at={device.sinceMs} />
                </>
              )}
              {device.reasons.length === 0 ? null : ` · ${device.reasons.join(', ').replaceAll('_', ' ')}`}
            </Text>
          </Group>
        </Paper>
      ))}
      {devicesTotal > devices.length ? <li>and {devicesTotal - devices.length} more</li> : null}
    </Group>
  )
}

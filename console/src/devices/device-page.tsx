import { Anchor, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { lazyPart } from '../connection/lazy-part.ts'
import type { ConsoleDevice } from '../../../src/api/console/devices/device-view.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { ListState } from '../ui/list-state.tsx'
import { BatteryCurve } from './battery-curve.tsx'
import { DeviceActions } from './device-actions.tsx'
import { DeviceFacts, PaceBar, PlanBars, Troubles } from './device-facts.tsx'
import { DeviceState, kindOf, nameOf } from './device-state.tsx'
import { StrandedAlert } from './stranded-alert.tsx'
import { UptimeBar } from './uptime-lane.tsx'
import { useDevicesLive } from './use-devices-live.ts'
import { Later } from '../ui/later.tsx'

/** Loaded on demand: its fields are 40 KB (compressed). */
const DeviceSetUp = lazyPart(async () => (await import('./device-set-up.tsx')).DeviceSetUp)

/** Page of a device: state, history, actions and settings. */
export function DevicePage() {
  const { deviceId = '' } = useParams({ strict: false })
  const place = useAccountPlace()
  const day = useCall('devices/one', { deviceId, hours: 24 })
  const quarter = useCall('devices/one', { deviceId, hours: 2160 })
  useDevicesLive()
  return (
    <Stack gap="lg" maw={1000}>
      <Anchor component={Link} to={pathOf(place, '/devices')} size="sm">
        ← Devices
      </Anchor>
      <ListState query={day}>{(device) => <Device device={device} past={quarter.data ?? null} />}</ListState>
    </Stack>
  )
}

function Device({ device, past }: { device: ConsoleDevice; past: ConsoleDevice | null }) {
  const { setUp } = device
  const name = nameOf(device)
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4}>
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Title>
          <DeviceState device={device} />
          <Text size="sm" c="dimmed">
            {kindOf(device)}, <span style={{ overflowWrap: 'anywhere' }}>{device.id}</span>
            {device.guide === null ? null : (
              <>
                {' · '}
                <Anchor href={device.guide} inherit underline="always">
                  Guide: what to do about each reason
                </Anchor>
              </>
            )}
          </Text>
        </Stack>
        {device.isChangeable && setUp !== null ? <DeviceActions device={device} setUp={setUp} /> : null}
      </Group>
      <StrandedAlert of={device.waiting} what="this device" remedy="Resume it" />
      <Troubles device={device} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack>
          <UptimeBar lane={device.lane} name={name} />
          {past === null ? null : <UptimeBar lane={past.lane} name={name} />}
          <BatteryCurve device={device} />
        </Stack>
        <Stack>
          <PaceBar device={device} />
          <PlanBars device={device} />
          <DeviceFacts device={device} />
        </Stack>
      </SimpleGrid>
      {device.isChangeable && setUp !== null ? (
        <Later height={400}>
          <DeviceSetUp device={device} setUp={setUp} />
        </Later>
      ) : null}
    </Stack>
  )
}

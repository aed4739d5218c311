import { Paper } from '@mantine/core'
import type { ConsoleDevice, DeviceSetUp as SetUp } from '../../../src/api/console/devices/device-view.ts'
import { DeviceSettings } from './device-settings.tsx'
import { SimNumbers } from './sim-numbers.tsx'
import { SimulatorMoods } from './simulator-moods.tsx'

/** How a device is set up: what only its kind has, then the settings. */
export function DeviceSetUp({ device, setUp }: { device: ConsoleDevice; setUp: SetUp }) {
  return (
    <>
      {device.kind === 'simulator' ? <SimulatorMoods device={device} setUp={setUp} /> : null}
      {device.kind === 'android' ? <SimNumbers device={device} setUp={setUp} /> : null}
      <Paper withBorder p="md">
        <DeviceSettings key={device.id} device={device} setUp={setUp} />
      </Paper>
    </>
  )
}

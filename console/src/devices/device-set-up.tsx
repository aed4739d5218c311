import { Paper } from '@mantine/core'
import type { ConsoleDevice, DeviceSetUp as SetUp } from '../../../src/api/console/devices/device-view.ts'
import { DeviceSettings } from './device-settings.tsx'
import { ProviderAddresses } from './provider-addresses.tsx'
import { SimNumbers } from './sim-numbers.tsx'
import { SimulatedOutcomes } from './simulated-outcomes.tsx'

/** Setup of a device: forms of its kind first, then the settings. */
export function DeviceSetUp({ device, setUp }: { device: ConsoleDevice; setUp: SetUp }) {
  return (
    <>
      {device.isSimulated ? <SimulatedOutcomes device={device} setUp={setUp} /> : null}
      {device.isPhone ? <SimNumbers device={device} setUp={setUp} /> : null}
      <ProviderAddresses device={device} />
      <Paper withBorder p="md">
        <DeviceSettings key={device.id} device={device} setUp={setUp} />
      </Paper>
    </>
  )
}

import { Group, NumberInput, Paper, Stack, Switch, Title } from '@mantine/core'
import { useState } from 'react'
import type { ConsoleDevice, DeviceSetUp } from '../../../src/api/console/devices/device-view.ts'
import { useChange } from '../api/use-call.ts'
import { Choice } from '../ui/choice.tsx'
import { CallFault } from '../ui/call-fault.tsx'

const refusals = [
  { value: 'none', label: 'Accept every message' },
  { value: 'now', label: 'Reject temporarily (counts as attempt)' },
  { value: 'busy', label: 'Throttle (does not count as attempt)' },
  { value: 'good', label: 'Reject permanently' },
]

/** Form for the simulated outcomes of a simulator; changes apply immediately. */
export function SimulatedOutcomes({ device, setUp }: { device: ConsoleDevice; setUp: DeviceSetUp }) {
  const { settings } = setUp
  const change = useChange('devices/change', ['devices/one', 'devices/list'])
  const [delay, setDelay] = useState<number | string>(Number(settings['delay_ms'] ?? 3000))
  const set = (name: string, value: string): void =>
    change.mutate({ deviceId: device.id, settings: { [name]: value } })
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2}>Simulated outcomes</Title>
        <CallFault error={change.error} />
        <Group gap="xl">
          <Switch
            label="Offline"
            checked={settings['offline'] === 'true'}
            onChange={(event) => set('offline', String(event.currentTarget.checked))}
          />
          <Switch
            label="Drop receipts"
            checked={settings['drop_receipts'] === 'true'}
            onChange={(event) => set('drop_receipts', String(event.currentTarget.checked))}
          />
        </Group>
        <Group align="flex-end">
          <Choice
            label="Response to submissions"
            data={refusals}
            value={settings['refuse'] ?? 'none'}
            onChange={(value) => set('refuse', value)}
            w={320}
            maw="100%"
          />
          <NumberInput
            label="Receipt delay (ms)"
            min={0}
            max={3_600_000}
            value={delay}
            onChange={setDelay}
            onBlur={() => {
              if (String(delay) !== (settings['delay_ms'] ?? '3000')) set('delay_ms', String(delay))
            }}
          />
        </Group>
      </Stack>
    </Paper>
  )
}

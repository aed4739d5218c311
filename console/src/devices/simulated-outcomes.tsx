import { Group, NumberInput, Paper, Stack, Switch, Title } from '@mantine/core'
import { useState } from 'react'
import type { ConsoleDevice, DeviceSetUp } from '../../../src/api/console/devices/device-view.ts'
import { useChange } from '../api/use-call.ts'
import { Choice } from '../ui/choice.tsx'
import { CallFault } from '../ui/call-fault.tsx'

const refusals = [
  { value: 'none', label: 'Takes every message' },
  { value: 'now', label: 'Refuses for now: tried again, counted' },
  { value: 'busy', label: 'Is throttled: tried again, not counted' },
  { value: 'good', label: 'Refuses for good' },
]

/** Tells a simulator how to behave; it does so at once. */
export function SimulatedOutcomes({ device, setUp }: { device: ConsoleDevice; setUp: DeviceSetUp }) {
  const { settings } = setUp
  const change = useChange('devices/change', ['devices/one', 'devices/list'])
  const [delay, setDelay] = useState<number | string>(Number(settings['delay_ms'] ?? 3000))
  const tell = (name: string, value: string): void =>
    change.mutate({ deviceId: device.id, settings: { [name]: value } })
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2}>Tell the simulator</Title>
        <CallFault error={change.error} />
        <Group gap="xl">
          <Switch
            label="Offline"
            checked={settings['offline'] === 'true'}
            onChange={(event) => tell('offline', String(event.currentTarget.checked))}
          />
          <Switch
            label="Lose receipts"
            checked={settings['drop_receipts'] === 'true'}
            onChange={(event) => tell('drop_receipts', String(event.currentTarget.checked))}
          />
        </Group>
        <Group align="flex-end">
          <Choice
            label="When it is handed a message it"
            data={refusals}
            value={settings['refuse'] ?? 'none'}
            onChange={(value) => tell('refuse', value)}
            w={320}
            maw="100%"
          />
          <NumberInput
            label="Milliseconds to the receipt"
            min={0}
            max={3_600_000}
            value={delay}
            onChange={setDelay}
            onBlur={() => {
              if (String(delay) !== (settings['delay_ms'] ?? '3000')) tell('delay_ms', String(delay))
            }}
          />
        </Group>
      </Stack>
    </Paper>
  )
}

import { Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { ConsoleDevice, DeviceSetUp } from '../../../src/api/console/devices/device-view.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'

/** Form for the numbers of a phone's SIMs: the app reports them masked, so that a user must enter them. */
export function SimNumbers({ device, setUp }: { device: ConsoleDevice; setUp: DeviceSetUp }) {
  const slots = (device.report?.sims ?? []).filter(({ slot }) => slot >= 1 && slot <= 3)
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2}>SIMs</Title>
        {slots.length === 0 ? <Text size="sm">The app has not reported a SIM yet.</Text> : null}
        {slots.map(({ slot, carrier }) => (
          <SimNumber
            key={slot}
            deviceId={device.id}
            slot={slot}
            carrier={carrier}
            named={setUp.settings[`sim_${slot}_number`] ?? ''}
          />
        ))}
      </Stack>
    </Paper>
  )
}

function SimNumber(properties: { deviceId: string; slot: number; carrier: string | null; named: string }) {
  const { deviceId, slot, carrier, named } = properties
  const [number, setNumber] = useState(named)
  const change = useChange('devices/change', ['devices/one', 'devices/list'])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    change.mutate({ deviceId, sim: { slot, number: number.trim() === '' ? null : number } })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <CallFault error={change.error} />
        <Group align="flex-end">
          <TextInput
            label={`Number of SIM ${slot}${carrier === null ? '' : `, ${carrier}`}`}
            description="In E.164, for example +4915112345678. Messages from this number use this SIM."
            value={number}
            onChange={(event) => setNumber(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={change.isPending} disabled={number === named}>
            Save number
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

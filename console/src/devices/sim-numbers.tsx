import { Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { ConsoleDevice, DeviceSetUp } from '../../../src/api/console/devices/device-view.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'

/** The numbers of the SIMs of a phone: the app tells them masked, so a person names them. */
export function SimNumbers({ device, setUp }: { device: ConsoleDevice; setUp: DeviceSetUp }) {
  const slots = (device.report?.sims ?? []).filter(({ slot }) => slot >= 1 && slot <= 3)
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2}>SIMs</Title>
        {slots.length === 0 ? <Text size="sm">The app has told of no SIM yet.</Text> : null}
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
            description="In E.164, such as +4915112345678; messages from it go by this SIM."
            value={number}
            onChange={(event) => setNumber(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={change.isPending} disabled={number === named}>
            Name it
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

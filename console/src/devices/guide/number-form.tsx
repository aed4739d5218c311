import { Button, Loader, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../api/use-call.ts'
import { CallForm } from '../../ui/call-form.tsx'
import { Choice } from '../../ui/choice.tsx'
import type { Guide } from './guide.ts'

/** Form for the number of the SIM, which then is a sender; or pass it over. */
export function NumberForm({ guide }: { guide: Guide }) {
  const { phone } = guide.facts
  const slots = (phone?.sims ?? []).map(({ slot }) => String(slot))
  const [number, setNumber] = useState('')
  const [slot, setSlot] = useState(slots[0] ?? '1')
  const change = useChange('devices/change', ['devices/guide', 'devices/list'])
  if (phone?.isNumberAwaited === true) return <Loader size="sm" aria-label="Waiting for the server" />
  const submit = (): void =>
    change.mutate({ deviceId: phone?.deviceId ?? '', sim: { slot: Number(slot), number } })
  return (
    <CallForm call={change} onSubmit={submit} action="Save number" disabled={number.trim() === ''}>
      {slots.length > 1 ? (
        <Choice
          label="SIM"
          data={slots.map((value) => ({ value, label: `SIM ${value}` }))}
          value={slot}
          onChange={setSlot}
        />
      ) : null}
      <TextInput
        label="Number of the SIM"
        value={number}
        onChange={(event) => setNumber(event.currentTarget.value)}
      />
      <Button variant="default" onClick={() => guide.note({ isNumberPassed: true })}>
        Pass over
      </Button>
    </CallForm>
  )
}

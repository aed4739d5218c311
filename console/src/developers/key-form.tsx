import { Checkbox, NumberInput, Stack, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { Choice } from '../ui/choice.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { everyScope, scopes } from './scopes.ts'

const lives = [
  { value: '', label: 'Never' },
  { value: '30', label: 'After 30 days' },
  { value: '90', label: 'After 90 days' },
  { value: '365', label: 'After a year' },
]

/** What a new key is called, what it may do, from where, how much and how long. */
export function KeyForm({ onClose, onMade }: { onClose: () => void; onMade: (token: string) => void }) {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string[]>([...everyScope])
  const [addresses, setAddresses] = useState<string[]>([])
  const [dailyCap, setDailyCap] = useState<number | string>('')
  const [days, setDays] = useState('')
  const create = useChange('keys/create', ['keys/list'])
  const made = ({ token }: { token: string }): void => {
    onMade(token)
    onClose()
  }
  const submit = (): void =>
    create.mutate(
      {
        name,
        scopes: everyScope.filter((scope) => chosen.includes(scope)),
        addresses,
        dailyCap: typeof dailyCap === 'number' ? dailyCap : null,
        expiresAt: days === '' ? null : Date.now() + Number(days) * 86_400_000,
      },
      { onSuccess: made },
    )
  return (
    <CallForm call={create} onSubmit={submit} onCancel={onClose} action="Create the key">
      <TextInput
        label="Name"
        description="What it is for: the program or the machine."
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox.Group label="It may" value={chosen} onChange={setChosen}>
        <Stack gap={6} mt={6}>
          {everyScope.map((scope) => (
            <Checkbox key={scope} value={scope} label={scopes[scope]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TagsInput
        label="Only from these addresses"
        description="Addresses or networks such as 192.0.2.0/24; from anywhere when empty."
        value={addresses}
        onChange={setAddresses}
      />
      <NumberInput
        label="SMS a day at most"
        description="No cap when empty. A day is one of UTC."
        min={1}
        value={dailyCap}
        onChange={setDailyCap}
      />
      <Choice label="It ends" data={lives} value={days} onChange={setDays} />
    </CallForm>
  )
}

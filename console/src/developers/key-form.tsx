import { Checkbox, NumberInput, Stack, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Scope } from '../../../src/accounts/api-keys.ts'
import { useChange } from '../api/use-call.ts'
import { Choice } from '../ui/choice.tsx'
import { CallForm } from '../ui/call-form.tsx'

const scopes: readonly { value: Scope; label: string }[] = [
  { value: 'messages:send', label: 'Send messages' },
  { value: 'messages:read', label: 'Read the history' },
  { value: 'status:read', label: 'Read the status of the device' },
  { value: 'balance:read', label: 'Read the balance' },
]

const lives = [
  { value: '', label: 'Never' },
  { value: '30', label: 'After 30 days' },
  { value: '90', label: 'After 90 days' },
  { value: '365', label: 'After a year' },
]

/** What a new key is called, what it may do, from where, how much and how long. */
export function KeyForm({ onClose, onMade }: { onClose: () => void; onMade: (token: string) => void }) {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string[]>(scopes.map(({ value }) => value))
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
        scopes: scopes.map(({ value }) => value).filter((scope) => chosen.includes(scope)),
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
          {scopes.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
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

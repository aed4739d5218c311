import { Checkbox, NumberInput, Stack, TagsInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { endOfLife, SecretLife, SecretName } from '../ui/secret-fields.tsx'
import { everyScope, scopes } from './scopes.ts'

/** Form for a new key: name, permissions, allowed IP addresses, daily limit, expiry. */
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
        expiresAt: endOfLife(days),
      },
      { onSuccess: made },
    )
  return (
    <CallForm call={create} onSubmit={submit} onCancel={onClose} action="Create key">
      <SecretName
        description="Name of the application or server that uses it."
        value={name}
        onChange={setName}
      />
      <Checkbox.Group label="Permissions" value={chosen} onChange={setChosen}>
        <Stack gap={6} mt={6}>
          {everyScope.map((scope) => (
            <Checkbox key={scope} value={scope} label={scopes[scope]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TagsInput
        label="Allowed IP addresses"
        description="Addresses or networks such as 192.0.2.0/24. Default: any."
        value={addresses}
        onChange={setAddresses}
      />
      <NumberInput
        label="Daily limit"
        description="SMS per day (UTC). Default: no limit."
        min={1}
        value={dailyCap}
        onChange={setDailyCap}
      />
      <SecretLife value={days} onChange={setDays} />
    </CallForm>
  )
}

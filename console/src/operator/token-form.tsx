import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { Choice } from '../ui/choice.tsx'

const scopes = [
  { value: 'read', label: 'Read accounts, ledgers and use' },
  { value: 'write', label: 'Read, open accounts, grant SMS, suspend and close' },
]

const lives = [
  { value: '90', label: 'After 90 days' },
  { value: '365', label: 'After a year' },
  { value: '', label: 'Never' },
]

/** What a new token is called, what it may do and how long. */
export function TokenForm({ onClose, onMade }: { onClose: () => void; onMade: (token: string) => void }) {
  const [name, setName] = useState('')
  const [scope, setScope] = useState('read')
  const [days, setDays] = useState('365')
  const create = useChange('operator/create-token', ['operator/tokens', 'operator/audit'])
  const made = ({ token }: { token: string }): void => {
    onMade(token)
    onClose()
  }
  const submit = (): void =>
    create.mutate(
      {
        name,
        scope: scope === 'write' ? 'write' : 'read',
        expiresAt: days === '' ? null : Date.now() + Number(days) * 86_400_000,
      },
      { onSuccess: made },
    )
  return (
    <CallForm call={create} onSubmit={submit} onCancel={onClose} action="Create the token">
      <TextInput
        label="Name"
        description="Which program it is for."
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Choice label="It may" data={scopes} value={scope} onChange={setScope} />
      <Choice label="It ends" data={lives} value={days} onChange={setDays} />
    </CallForm>
  )
}

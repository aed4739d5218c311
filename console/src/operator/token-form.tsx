import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { Choice } from '../ui/choice.tsx'
import { endOfLife, SecretLife, SecretName } from '../ui/secret-fields.tsx'

const scopes = [
  { value: 'read', label: 'Read accounts, ledgers and use' },
  { value: 'write', label: 'Read, open accounts, grant SMS, suspend and close' },
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
        expiresAt: endOfLife(days),
      },
      { onSuccess: made },
    )
  return (
    <CallForm call={create} onSubmit={submit} onCancel={onClose} action="Create the token">
      <SecretName description="Which program it is for." value={name} onChange={setName} />
      <Choice label="It may" data={scopes} value={scope} onChange={setScope} />
      <SecretLife value={days} onChange={setDays} />
    </CallForm>
  )
}

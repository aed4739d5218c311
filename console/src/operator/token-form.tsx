import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { Choice } from '../ui/choice.tsx'
import { endOfLife, SecretLife, SecretName } from '../ui/secret-fields.tsx'

const scopes = [
  { value: 'read', label: 'Read accounts, ledgers and usage' },
  { value: 'write', label: 'Read, create accounts, grant SMS, suspend and close' },
]

/** Form for a new API token: name, permissions, expiry. */
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
    <CallForm call={create} onSubmit={submit} onCancel={onClose} action="Create token">
      <SecretName description="Name of the client that uses it." value={name} onChange={setName} />
      <Choice label="Permissions" data={scopes} value={scope} onChange={setScope} />
      <SecretLife value={days} onChange={setDays} />
    </CallForm>
  )
}

import { NumberInput, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { useChange } from '../api/use-call.ts'
import { useRequestKey } from '../api/use-request-key.ts'
import { Choice } from '../ui/choice.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { formatNumber } from '../ui/format.ts'

const kinds = [
  { value: 'grant', label: 'Grant' },
  { value: 'top_up', label: 'Top-up (paid)' },
  { value: 'correction', label: 'Correction (can be negative)' },
] as const

/** Form to grant SMS to an account, with a note for the ledger. */
export function GrantForm({ account, onClose }: { account: OperatedAccount; onClose: () => void }) {
  const [sms, setSms] = useState<number | string>('')
  const [kind, setKind] = useState<'grant' | 'top_up' | 'correction'>('grant')
  const [mode, setMode] = useState<'live' | 'test'>('live')
  const [note, setNote] = useState('')
  const { key, renewIfUsed } = useRequestKey()
  const grant = useChange('operator/grant', ['operator/accounts', 'operator/audit'])
  const submit = (): void => {
    if (typeof sms === 'number')
      grant.mutate(
        { accountId: account.id, mode, kind, sms, note, key },
        { onSuccess: onClose, onError: renewIfUsed },
      )
  }
  return (
    <CallForm call={grant} onSubmit={submit} action={`Grant SMS to ${account.name}`}>
      <Text size="sm">
        {formatNumber(account[mode].available)} of {formatNumber(account[mode].granted)} SMS available.
      </Text>
      <NumberInput label="SMS" required data-autofocus allowDecimal={false} value={sms} onChange={setSms} />
      <Choice label="Kind" data={kinds} value={kind} onChange={setKind} />
      <Choice label="Wallet" data={['live', 'test']} value={mode} onChange={setMode} />
      <TextInput
        label="Note"
        description="Reason, stored permanently in the ledger and visible to the account."
        required
        maxLength={500}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </CallForm>
  )
}

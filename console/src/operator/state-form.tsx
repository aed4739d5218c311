import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'

const words = {
  active: { does: 'Reactivate', says: 'Sending goes on at once with what waits.', color: 'teal' },
  suspended: {
    does: 'Suspend',
    says: 'Nothing is sent any more; what waits stays where it is, and reading works.',
    color: 'orange',
  },
  closed: {
    does: 'Close',
    says: 'Its keys stop working, what waits is cancelled and its SMS are released. There is no way back.',
    color: 'red',
  },
} as const

/** Moves an account to another state; closing wants its name typed. */
export function StateForm(properties: {
  account: OperatedAccount
  state: keyof typeof words
  onClose: () => void
}) {
  const { account, state, onClose } = properties
  const { does, says, color } = words[state]
  const [typed, setTyped] = useState('')
  const move = useChange('operator/state', ['operator/accounts', 'operator/audit'])
  const isSure = state !== 'closed' || typed === account.name
  return (
    <CallForm
      call={move}
      onSubmit={() => move.mutate({ accountId: account.id, state }, { onSuccess: onClose })}
      action={`${does} ${account.name}`}
      color={color}
      disabled={!isSure}
    >
      <Text size="sm">{says}</Text>
      {state === 'closed' ? (
        <TextInput
          label={`Type ${account.name} to close it`}
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
    </CallForm>
  )
}

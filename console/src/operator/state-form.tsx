import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'

const changes = {
  active: {
    verb: 'Reactivate',
    effect: 'Sending resumes immediately, including queued messages.',
    color: 'teal',
  },
  suspended: {
    verb: 'Suspend',
    effect: 'Sending stops. Queued messages stay queued, and reading still works.',
    color: 'orange',
  },
  closed: {
    verb: 'Close',
    effect:
      'API keys stop working, scheduled and queued messages are canceled and their SMS released. This cannot be undone.',
    color: 'red',
  },
} as const

/** Form to change the state of an account; closing requires its name to be typed. */
export function StateForm(properties: {
  account: OperatedAccount
  state: keyof typeof changes
  onClose: () => void
}) {
  const { account, state, onClose } = properties
  const { verb, effect, color } = changes[state]
  const [typed, setTyped] = useState('')
  const move = useChange('operator/state', ['operator/accounts', 'operator/audit'])
  const isSure = state !== 'closed' || typed === account.name
  return (
    <CallForm
      call={move}
      onSubmit={() => move.mutate({ accountId: account.id, state }, { onSuccess: onClose })}
      action={`${verb} ${account.name}`}
      color={color}
      disabled={!isSure}
    >
      <Text size="sm">{effect}</Text>
      {state === 'closed' ? (
        <TextInput
          label={`Type ${account.name} to confirm`}
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
    </CallForm>
  )
}

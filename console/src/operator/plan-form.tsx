import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { useChange } from '../api/use-call.ts'
import { faultOf } from '../ui/call-fault.tsx'
import { CallForm } from '../ui/call-form.tsx'

/** Form for the word by which rules of routes match the messages of an account. */
export function PlanForm({ account, onClose }: { account: OperatedAccount; onClose: () => void }) {
  const [plan, setPlan] = useState(account.plan ?? '')
  const save = useChange('operator/plan', ['operator/accounts', 'operator/audit'])
  const submit = (): void =>
    save.mutate(
      { accountId: account.id, plan: plan.trim() === '' ? null : plan.trim() },
      { onSuccess: onClose },
    )
  return (
    <CallForm call={save} onSubmit={submit} action={`Save plan of ${account.name}`} ownFaults={['plan']}>
      <TextInput
        label="Plan"
        description="A word such as pro. Empty: none."
        placeholder="pro"
        maxLength={32}
        value={plan}
        error={faultOf(save.error, 'plan')}
        onChange={(event) => setPlan(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed">
        Rules can match messages by the plan of their account. It changes nothing else; plans of SIMs are set
        at their device.
      </Text>
    </CallForm>
  )
}

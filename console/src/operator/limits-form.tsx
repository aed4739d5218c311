import { NumberInput, Text } from '@mantine/core'
import { useState } from 'react'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'

const fields = [
  { name: 'sendPerMinute', label: 'Sends a minute' },
  { name: 'readPerMinute', label: 'Reads a minute' },
  { name: 'queueLimit', label: 'Messages that may wait' },
  { name: 'numberPerHour', label: 'Messages to one number in an hour' },
  { name: 'prefixPerHour', label: 'Messages to neighbouring numbers in an hour' },
  { name: 'pumpingNumbers', label: 'Neighbouring numbers with codes in an hour' },
] as const

/** Limits of one account; what is left empty is as the instance has it. */
export function LimitsForm({ account, onClose }: { account: OperatedAccount; onClose: () => void }) {
  const { sendPerMinute, readPerMinute, queueLimit, numberPerHour, prefixPerHour, pumpingNumbers } = account
  const [limits, setLimits] = useState({
    sendPerMinute,
    readPerMinute,
    queueLimit,
    numberPerHour,
    prefixPerHour,
    pumpingNumbers,
  })
  const save = useChange('operator/limits', ['operator/accounts', 'operator/audit'])
  return (
    <CallForm
      call={save}
      onSubmit={() => save.mutate({ accountId: account.id, ...limits }, { onSuccess: onClose })}
      action={`Save the limits of ${account.name}`}
    >
      <Text size="sm">
        For each mode, the last three for live messages. Empty is the setting of the instance, 0 is no limit.
        Neighbouring numbers differ in their last three digits; codes to more of them suspend the account when
        they are most of its codes.
      </Text>
      {fields.map(({ name, label }) => (
        <NumberInput
          key={name}
          label={label}
          min={0}
          allowDecimal={false}
          value={limits[name] ?? ''}
          onChange={(value) => setLimits({ ...limits, [name]: typeof value === 'number' ? value : null })}
        />
      ))}
    </CallForm>
  )
}

import { NumberInput, Text } from '@mantine/core'
import { useState } from 'react'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'

const fields = [
  { name: 'sendPerMinute', label: 'Send requests per minute' },
  { name: 'readPerMinute', label: 'Read requests per minute' },
  { name: 'queueLimit', label: 'Maximum queued messages' },
  { name: 'numberPerHour', label: 'Messages to one number per hour' },
  { name: 'prefixPerHour', label: 'Messages to one number block per hour' },
  { name: 'pumpingNumbers', label: 'Numbers of one block with codes per hour' },
] as const

/** Form for the limits of an account; an empty field means the setting of the instance. */
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
      action={`Save limits of ${account.name}`}
    >
      <Text size="sm">
        The limits apply to each mode, the last three to live messages only. Empty: the setting of the
        instance; 0: no limit. The numbers of a block differ in their last three digits. Codes to more numbers
        of one block suspend the account if they are most of its codes.
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

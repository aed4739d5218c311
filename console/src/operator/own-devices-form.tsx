import { Text } from '@mantine/core'
import { useState } from 'react'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { Choice } from '../ui/choice.tsx'

/** Form for what messages over the own devices of an account cost. */
export function OwnDevicesForm({ account, onClose }: { account: OperatedAccount; onClose: () => void }) {
  const [price, setPrice] = useState(account.ownDevices)
  const save = useChange('operator/own-devices', ['operator/accounts', 'operator/audit'])
  const submit = (): void => save.mutate({ accountId: account.id, price }, { onSuccess: onClose })
  return (
    <CallForm call={save} onSubmit={submit} action={`Save settings of ${account.name}`}>
      <Choice
        label="Messages over own phones, modems and links"
        data={[
          { value: 'charged', label: 'Are charged to the balance' },
          { value: 'free', label: 'Cost nothing' },
        ]}
        value={price}
        onChange={(value) => setPrice(value === 'free' ? 'free' : 'charged')}
      />
      <Text size="sm" c="dimmed">
        {price === 'free'
          ? 'Shared devices never carry such messages: without a working own device they wait, and expire at the end of their validity period. Test messages and simulators are always charged. With several nodes, choose this only when all of them run this version.'
          : 'Every message needs a balance, whichever device carries it.'}
      </Text>
    </CallForm>
  )
}

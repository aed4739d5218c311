import { Text } from '@mantine/core'
import { useState } from 'react'
import { faultOf } from '../ui/call-fault.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { PasswordField } from '../ui/password-field.tsx'

/** Asks for the password before something that a borrowed browser must not do. */
export function PasswordFirst(properties: {
  says: string
  action: string
  color?: string
  call: { error: Error | null; isPending: boolean }
  onGiven: (password: string) => void
}) {
  const { says, action, color = 'indigo', call, onGiven } = properties
  const [password, setPassword] = useState('')
  return (
    <CallForm
      call={call}
      onSubmit={() => onGiven(password)}
      action={action}
      color={color}
      ownFaults={['password']}
    >
      <Text size="sm">{says}</Text>
      <PasswordField
        data-autofocus
        value={password}
        onChange={setPassword}
        error={faultOf(call.error, 'password')}
      />
    </CallForm>
  )
}

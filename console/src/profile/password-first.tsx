import { Text } from '@mantine/core'
import { useState } from 'react'
import { faultOf } from '../ui/call-fault.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { PasswordField } from '../ui/password-field.tsx'

/** Form that asks for the password before a sensitive action, in case the browser is unattended. */
export function PasswordFirst(properties: {
  description: string
  action: string
  color?: string
  call: { error: Error | null; isPending: boolean }
  onGiven: (password: string) => void
}) {
  const { description, action, color = 'indigo', call, onGiven } = properties
  const [password, setPassword] = useState('')
  return (
    <CallForm
      call={call}
      onSubmit={() => onGiven(password)}
      action={action}
      color={color}
      ownFaults={['password']}
    >
      <Text size="sm">{description}</Text>
      <PasswordField
        data-autofocus
        value={password}
        onChange={setPassword}
        error={faultOf(call.error, 'password')}
      />
    </CallForm>
  )
}

import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { change } from '../api/call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { useEntry } from './enter.ts'

/** Second step of sign-in: the code of the authenticator app. */
export function TwoFactorStep({ to, onIn }: { to?: string; onIn?: () => void }) {
  const [code, setCode] = useState('')
  const give = useEntry(() => change('session/give-code', null, { code }), { to, ...(onIn && { onIn }) })
  return (
    <>
      <CallForm call={give} onSubmit={() => give.mutate(undefined)} action="Continue">
        <TextInput
          label="Code"
          description="From your authenticator app, or one of your recovery codes."
          autoComplete="one-time-code"
          required
          data-autofocus
          autoFocus
          maxLength={40}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      </CallForm>
      <Text size="sm" c="dimmed">
        No access to either? The operator can remove the second factor.
      </Text>
    </>
  )
}

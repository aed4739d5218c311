import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { change } from '../api/call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { useEntry } from './enter.ts'

/** The second half of signing in: the code of the authenticator app. */
export function GiveCode({ to, onIn }: { to?: string; onIn?: () => void }) {
  const [code, setCode] = useState('')
  const give = useEntry(() => change('session/give-code', null, { code }), { to, ...(onIn && { onIn }) })
  return (
    <>
      <CallForm call={give} onSubmit={() => give.mutate(undefined)} action="Go on">
        <TextInput
          label="Code"
          description="Of your authenticator app, or one of your recovery codes."
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
        Neither at hand? The operator can take the second factor away.
      </Text>
    </>
  )
}

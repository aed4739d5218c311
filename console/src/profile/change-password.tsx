import { Box, Text } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { showPasskeyNotice } from '../passkeys/tell-of-passkeys.tsx'
import { NewPassword } from '../sign-in/new-password.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { notify } from '../ui/notify.ts'
import { PasswordField } from '../ui/password-field.tsx'
import { Section } from '../ui/section.tsx'

/** Form to change the password. Password managers need `email` to assign it. */
export function ChangePassword({ email }: { email: string }) {
  const [password, setPassword] = useState('')
  const [next, setNext] = useState('')
  const change = useChange('profile/change-password', ['profile/read'])
  const submit = (): void => {
    change.mutate(
      { password, next },
      {
        onSuccess: ({ passkeys }) => {
          setPassword('')
          setNext('')
          void notify({
            color: 'teal',
            message: 'Password changed. All other sessions have ended.',
          })
          showPasskeyNotice(passkeys)
        },
      },
    )
  }
  return (
    <Section title="Password">
      <Box maw={420}>
        <CallForm call={change} onSubmit={submit} action="Change password">
          <input type="hidden" autoComplete="username" value={email} readOnly />
          <PasswordField label="Current password" value={password} onChange={setPassword} />
          <NewPassword label="New password" value={next} onChange={setNext} fault={undefined} />
          <Text size="sm" c="dimmed">
            This ends all other sessions. Passkeys stay.
          </Text>
        </CallForm>
      </Box>
    </Section>
  )
}

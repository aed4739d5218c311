import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { change } from '../api/call.ts'
import { checkSession } from '../api/check-session.ts'
import { sessionQuery } from '../api/session.ts'
import { sessionEnd } from '../connection/session-end.ts'
import { PasskeyEntry } from '../passkeys/passkey-entry.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { useEntry } from './enter.ts'
import { TwoFactorStep } from './give-code.tsx'

/** Dialog to sign in again on a page whose session has ended: the page stays, and its rejected calls are repeated. */
export function SessionDialog() {
  const { data } = useQuery({ ...sessionQuery, enabled: false })
  const [asksCode, setAsksCode] = useState(false)
  const user = data?.user ?? null
  if (user === null) return null
  // The passkey can belong to another user, who must not see this page.
  const onIn = (): void => void checkSession().catch(() => window.location.reload())
  return (
    <Dialog opened onClose={() => sessionEnd.end(false)} title="Sign in again">
      <Stack>
        <Text size="sm">Your session has ended. Sign in to continue where you are.</Text>
        {asksCode ? (
          <TwoFactorStep onIn={onIn} />
        ) : (
          <Credentials email={user.email} onCodeNeeded={() => setAsksCode(true)} onIn={onIn} />
        )}
      </Stack>
    </Dialog>
  )
}

function Credentials(properties: { email: string; onCodeNeeded: () => void; onIn: () => void }) {
  const { email, onCodeNeeded, onIn } = properties
  const [password, setPassword] = useState('')
  const signIn = useEntry(() => change('session/sign-in', null, { email, password }), { onCodeNeeded, onIn })
  return (
    <>
      <CallForm call={signIn} onSubmit={() => signIn.mutate(undefined)} action="Sign in">
        <EmailField readOnly variant="filled" autoComplete="username webauthn" value={email} />
        <PasswordField data-autofocus value={password} onChange={setPassword} />
      </CallForm>
      <PasskeyEntry onIn={onIn} />
    </>
  )
}

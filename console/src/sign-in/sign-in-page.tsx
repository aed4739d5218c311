import { Anchor, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { change } from '../api/call.ts'
import { sessionQuery } from '../api/session.ts'
import { PasskeyEntry } from '../passkeys/passkey-entry.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { useEntry } from './enter.ts'
import { TwoFactorStep } from './give-code.tsx'
import { OutsidePage } from './outside-page.tsx'

/** Sign-in page: e-mail and password, then the code of a second factor; or a passkey, which replaces all three. */
export function SignInPage() {
  const { next }: { next?: string } = useSearch({ strict: false })
  const [asksCode, setAsksCode] = useState(false)
  const to = ownPath(next)
  return (
    <OutsidePage title="Sign in to onesixty">
      {asksCode ? <TwoFactorStep to={to} /> : <Credentials to={to} onCodeNeeded={() => setAsksCode(true)} />}
    </OutsidePage>
  )
}

function Credentials({ to, onCodeNeeded }: { to: string; onCodeNeeded: () => void }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const { data: session } = useQuery(sessionQuery)
  const signIn = useEntry(() => change('session/sign-in', null, { email, password }), { to, onCodeNeeded })
  return (
    <>
      <CallForm call={signIn} onSubmit={() => signIn.mutate(undefined)} action="Sign in">
        {/* `webauthn` lets browsers offer passkeys in this field. */}
        <EmailField autoComplete="username webauthn" value={email} onChange={setEmail} />
        <PasswordField value={password} onChange={setPassword} />
      </CallForm>
      <PasskeyEntry to={to} />
      <Group justify="space-between">
        <Anchor component={Link} to="/reset" size="sm">
          Forgot password?
        </Anchor>
        {session?.signUp === 'open' ? (
          <Anchor component={Link} to="/sign-up" size="sm">
            Create account
          </Anchor>
        ) : null}
      </Group>
    </>
  )
}

/** Returns the page to continue with: only a path of the console, never the URL of another site from a forged link. */
const ownPath = (next: string | undefined): string =>
  next !== undefined && /^\/(?!\/|\\)/.test(next) ? next : '/'

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
import { GiveCode } from './give-code.tsx'
import { OutsidePage } from './outside-page.tsx'

/** E-mail and password, then the code for who has a second factor; or a passkey, which stands for all three. */
export function SignInPage() {
  const { next }: { next?: string } = useSearch({ strict: false })
  const [asksCode, setAsksCode] = useState(false)
  const to = ownPath(next)
  return (
    <OutsidePage title="Sign in to onesixty">
      {asksCode ? <GiveCode to={to} /> : <Credentials to={to} onCodeNeeded={() => setAsksCode(true)} />}
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
        {/* The second word lets browsers offer passkeys here. */}
        <EmailField autoComplete="username webauthn" value={email} onChange={setEmail} />
        <PasswordField value={password} onChange={setPassword} />
      </CallForm>
      <PasskeyEntry to={to} />
      <Group justify="space-between">
        <Anchor component={Link} to="/reset" size="sm">
          Lost the password?
        </Anchor>
        {session?.signUp === 'open' ? (
          <Anchor component={Link} to="/sign-up" size="sm">
            Open an account
          </Anchor>
        ) : null}
      </Group>
    </>
  )
}

/** Where to go on: a page of ours, never another site's address that somebody put into a link. */
const ownPath = (next: string | undefined): string =>
  next !== undefined && /^\/(?!\/|\\)/.test(next) ? next : '/'

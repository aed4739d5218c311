import { Text } from '@mantine/core'
import { useState } from 'react'
import type { LinkLook } from '../../../src/api/console/sign-in/link-calls.ts'
import { change } from '../api/call.ts'
import { showPasskeyNotice } from '../passkeys/tell-of-passkeys.tsx'
import { faultOf } from '../ui/call-fault.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { useEntry } from './enter.ts'
import { TwoFactorStep } from './give-code.tsx'
import { NewPassword } from './new-password.tsx'
import { OutsidePage } from './outside-page.tsx'
import { showRemovalNotice } from './tell-of-removed.tsx'

/** Page to choose the first password or reset a forgotten one; then the console opens. */
export function ChoosePassword({ token, look }: { token: string; look: LinkLook }) {
  const [passkeysOfCode, setPasskeysOfCode] = useState<number | null>(null)
  const isFirst = look.purpose === 'set-up'
  return (
    <OutsidePage title={isFirst ? 'Welcome to onesixty' : 'Choose a new password'}>
      {passkeysOfCode === null ? (
        <PasswordForm token={token} look={look} onCodeNeeded={setPasskeysOfCode} />
      ) : (
        <TwoFactorStep to="/" onIn={() => showPasskeyNotice(passkeysOfCode)} />
      )}
    </OutsidePage>
  )
}

function PasswordForm(properties: {
  token: string
  look: LinkLook
  /** Receives the number of passkeys. */
  onCodeNeeded: (passkeys: number) => void
}) {
  const { token, look, onCodeNeeded } = properties
  const asksEmail = look.email === ''
  const [email, setEmail] = useState(look.email)
  const [password, setPassword] = useState('')
  const choose = useEntry(
    () => change('link/choose-password', null, { token, password, ...(asksEmail ? { email } : {}) }),
    {
      to: look.purpose === 'set-up' ? '/start' : '/',
      onCodeNeeded: ({ passkeys }) => onCodeNeeded(passkeys),
      onIn: ({ passkeys, removed }) => {
        showPasskeyNotice(passkeys)
        showRemovalNotice(removed)
      },
    },
  )
  return (
    <CallForm
      call={choose}
      onSubmit={() => choose.mutate(undefined)}
      action={look.purpose === 'set-up' ? 'Open console' : 'Save password'}
      ownFaults={['email', 'password']}
    >
      <Text size="sm" c="dimmed">
        {asksEmail ? 'Create your administrator login.' : `You will sign in as ${look.email}.`}
      </Text>
      <EmailField
        readOnly={!asksEmail}
        variant={asksEmail ? 'default' : 'filled'}
        value={email}
        onChange={setEmail}
        error={faultOf(choose.error, 'email')}
      />
      <NewPassword value={password} onChange={setPassword} fault={faultOf(choose.error, 'password')} />
    </CallForm>
  )
}

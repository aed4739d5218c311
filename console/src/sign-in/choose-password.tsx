import { Button, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { LinkLook } from '../../../src/api/console/link-calls.ts'
import { change } from '../api/call.ts'
import { CallFault, faultOf } from '../ui/call-fault.tsx'
import { useEntry } from './enter.ts'
import { GiveCode } from './give-code.tsx'
import { NewPassword } from './new-password.tsx'
import { OutsidePage } from './outside-page.tsx'

/** The first password, or a new one for a lost one; then straight into the console. */
export function ChoosePassword({ token, look }: { token: string; look: LinkLook }) {
  const [asksCode, setAsksCode] = useState(false)
  const isFirst = look.purpose === 'set-up'
  return (
    <OutsidePage title={isFirst ? 'Welcome to onesixty' : 'Choose a new password'}>
      {asksCode ? (
        <GiveCode to="/" />
      ) : (
        <PasswordForm token={token} look={look} onCodeNeeded={() => setAsksCode(true)} />
      )}
    </OutsidePage>
  )
}

function PasswordForm(properties: { token: string; look: LinkLook; onCodeNeeded: () => void }) {
  const { token, look, onCodeNeeded } = properties
  const asksEmail = look.email === ''
  const [email, setEmail] = useState(look.email)
  const [password, setPassword] = useState('')
  const choose = useEntry(
    () => change('link/choose-password', null, { token, password, ...(asksEmail ? { email } : {}) }),
    { to: look.purpose === 'set-up' ? '/start' : '/', onCodeNeeded },
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    choose.mutate(undefined)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" c="dimmed">
          {asksEmail
            ? 'You run this service. Say how you will sign in from now on.'
            : `You will sign in as ${look.email}.`}
        </Text>
        <CallFault error={choose.error} fields={['email', 'password']} />
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username"
          required
          readOnly={!asksEmail}
          variant={asksEmail ? 'default' : 'filled'}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={faultOf(choose.error, 'email')}
        />
        <NewPassword value={password} onChange={setPassword} fault={faultOf(choose.error, 'password')} />
        <Button type="submit" loading={choose.isPending}>
          {look.purpose === 'set-up' ? 'Open the console' : 'Keep this password'}
        </Button>
      </Stack>
    </form>
  )
}

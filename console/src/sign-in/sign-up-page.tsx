import { Alert, Anchor, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { change } from '../api/call.ts'
import { sessionQuery } from '../api/session.ts'
import { keepFirstKey } from '../start/first-key.ts'
import { faultOf } from '../ui/call-fault.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { useEntry } from './enter.ts'
import { NewPassword } from './new-password.tsx'
import { OutsidePage } from './outside-page.tsx'

/** Sign-up page: creates an account. */
export function SignUpPage() {
  const { data: session } = useQuery(sessionQuery)
  return (
    <OutsidePage title="Create account">
      {session === undefined || session.signUp === 'open' ? (
        <SignUpForm freeSms={session?.freeSms} />
      ) : (
        <Closed />
      )}
      <Text size="sm">
        <Anchor component={Link} to="/sign-in" inherit>
          Sign in
        </Anchor>{' '}
        if you already have an account.
      </Text>
    </OutsidePage>
  )
}

const Closed = () => (
  <Alert color="gray" variant="light" title="Invitation required">
    Sign-up is by invitation only. Ask the operator of this server for one.
  </Alert>
)

function SignUpForm({ freeSms }: { freeSms: number | undefined }) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signUp = useEntry(
    async () => {
      const answer = await change('sign-up/open', null, { name, email, password })
      keepFirstKey(answer.accountId, answer.testKey)
      return answer
    },
    { to: ({ accountId }) => `/a/${accountId}/test/start` },
  )
  return (
    <CallForm
      call={signUp}
      onSubmit={() => signUp.mutate(undefined)}
      action="Create account"
      ownFaults={['name', 'email', 'password']}
    >
      <Text size="sm" c="dimmed">
        No payment card required.{' '}
        {freeSms === undefined || freeSms === 0 ? '' : `You start with ${freeSms} SMS.`}
      </Text>
      <TextInput
        label="Name"
        description="Your name or your company’s."
        autoComplete="name"
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={faultOf(signUp.error, 'name')}
      />
      <EmailField value={email} onChange={setEmail} error={faultOf(signUp.error, 'email')} />
      <NewPassword value={password} onChange={setPassword} fault={faultOf(signUp.error, 'password')} />
    </CallForm>
  )
}

import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { LinkLook } from '../../../src/api/console/sign-in/link-calls.ts'
import { change } from '../api/call.ts'
import { sessionQuery } from '../api/session.ts'
import { CallFault, faultOf } from '../ui/call-fault.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { useEntry } from './enter.ts'
import { NewPassword } from './new-password.tsx'
import { OutsidePage } from './outside-page.tsx'

/** Page of an invitation, which a signed-in user or a new user can accept. */
export function Invitation({ token, look }: { token: string; look: LinkLook }) {
  const { data: session } = useQuery(sessionQuery)
  const title = look.account === null ? 'You are invited to onesixty' : `Join ${look.account.name}`
  return (
    <OutsidePage title={title}>
      <Text size="sm" c="dimmed">
        {look.account === null
          ? `The invitation for ${look.email} creates an account of your own.`
          : `The invitation for ${look.email} makes you ${look.role === 'owner' ? 'an owner' : 'a member'} of the account.`}
      </Text>
      {session === undefined ? null : session.user !== null ? (
        <Accept token={token} as={session.user.email} />
      ) : look.isKnown ? (
        <SignInFirst email={look.email} />
      ) : (
        <Join token={token} look={look} />
      )}
    </OutsidePage>
  )
}

function Accept({ token, as }: { token: string; as: string }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const accept = useMutation({
    mutationFn: () => change('link/accept', null, { token }),
    onSuccess: async ({ accountId }) => {
      client.clear()
      await navigate({ to: `/a/${accountId}/test/start` })
    },
  })
  return (
    <Stack>
      <CallFault error={accept.error} />
      <Button onClick={() => accept.mutate()} loading={accept.isPending}>
        Accept as {as}
      </Button>
    </Stack>
  )
}

const SignInFirst = ({ email }: { email: string }) => (
  <Stack>
    <Text>User {email} already exists. Sign in first, then open this link again.</Text>
    <Button component={Link} to="/sign-in">
      Sign in
    </Button>
  </Stack>
)

function Join({ token, look }: { token: string; look: LinkLook }) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const join = useEntry(() => change('link/join', null, { token, name, password }), {
    to: ({ accountId }) => `/a/${accountId}/test/start`,
  })
  return (
    <CallForm
      call={join}
      onSubmit={() => join.mutate(undefined)}
      action={look.account === null ? 'Create account' : `Join ${look.account.name}`}
      ownFaults={['name', 'password']}
    >
      <EmailField readOnly variant="filled" value={look.email} />
      <TextInput
        label="Name"
        description={look.account === null ? 'Your name or your company’s.' : undefined}
        autoComplete="name"
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={faultOf(join.error, 'name')}
      />
      <NewPassword value={password} onChange={setPassword} fault={faultOf(join.error, 'password')} />
    </CallForm>
  )
}

import { Alert, Button, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { CallFailed, type Problem } from '../api/call.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { ToCopy } from '../ui/to-copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { formatExact } from '../ui/format.ts'

/** Dialog to create an account. */
export function OpenAccount({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Create account">
      <OpenForm />
    </Dialog>
  )
}

function OpenForm() {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const open = useChange('operator/open-account', ['operator/accounts', 'operator/audit'])
  const known = open.error instanceof CallFailed ? open.error.problem.known_user : undefined
  if (open.data !== undefined) return <Created link={open.data.link} email={email} />
  return (
    <CallForm
      call={known === undefined ? open : { error: null, isPending: false }}
      disabled={known !== undefined}
      onSubmit={() => open.mutate({ name, email })}
      action="Create account"
    >
      <TextInput
        label="Name"
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <EmailField
        label="E-mail address of the owner"
        autoComplete="off"
        value={email}
        onChange={(address) => {
          setEmail(address)
          open.reset()
        }}
      />
      {known === undefined ? null : (
        <Claimed
          user={known}
          isPending={open.isPending}
          onConfirm={() => open.mutate({ name, email, userId: known.id })}
        />
      )}
    </CallForm>
  )
}

interface ClaimedProps {
  user: NonNullable<Problem['known_user']>
  isPending: boolean
  onConfirm: () => void
}

/** Asks for confirmation when a user already has the address, which does not prove that it is the right person. */
function Claimed({ user, isPending, onConfirm }: ClaimedProps) {
  const accounts = user.accounts.map(({ id, name, role }) => `${role} of ${name} (${id})`).join(', ')
  return (
    <Alert color="yellow" title="A user with this address exists" role="alert">
      <Stack gap="sm">
        <Text size="sm">
          {user.name} ({user.id}), since {formatExact(Date.parse(user.since))};{' '}
          {accounts === '' ? 'no account' : accounts}. The address is not verified: ask them before you give
          them the account.
        </Text>
        <Button color="yellow" variant="light" loading={isPending} onClick={onConfirm}>
          Create account for {user.name}
        </Button>
      </Stack>
    </Alert>
  )
}

function Created({ link, email }: { link: string | null; email: string }) {
  if (link === null)
    return <Text size="sm">{email} already has a password and will find the account after signing in.</Text>
  return (
    <Stack>
      <ToCopy text={link} of="the link" />
      <Text size="sm">
        Send this link only to {email}: it lets them choose a password. It works only once.
      </Text>
    </Stack>
  )
}

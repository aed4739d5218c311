import { Alert, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** The form for a new account. */
export function OpenAccount({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Open an account">
      <OpenForm />
    </Dialog>
  )
}

function OpenForm() {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const open = useChange('operator/open-account', ['operator/accounts', 'operator/audit'])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    open.mutate({ name, email })
  }
  if (open.data !== undefined) return <Opened link={open.data.link} email={email} />
  return (
    <form onSubmit={submit}>
      <Stack>
        {open.isError ? <Alert color="red">{open.error.message}</Alert> : null}
        <TextInput
          label="Name"
          required
          maxLength={100}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="E-mail address of its owner"
          description="Whoever is known by it joins the new account as its owner."
          type="email"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Button type="submit" loading={open.isPending}>
          Open the account
        </Button>
      </Stack>
    </form>
  )
}

function Opened({ link, email }: { link: string | null; email: string }) {
  if (link === null)
    return <Text size="sm">{email} has a password already, and finds the account after signing in.</Text>
  return (
    <Stack>
      <Group gap="xs">
        <Code style={{ overflowWrap: 'anywhere' }}>{link}</Code>
        <CopyButton text={link} of="the link" />
      </Group>
      <Text size="sm">Give this link to {email} and nobody else: it lets them choose a password, once.</Text>
    </Stack>
  )
}

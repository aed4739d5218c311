import { Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmailField } from '../ui/email-field.tsx'

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
  if (open.data !== undefined) return <Opened link={open.data.link} email={email} />
  return (
    <CallForm call={open} onSubmit={() => open.mutate({ name, email })} action="Open the account">
      <TextInput
        label="Name"
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <EmailField
        label="E-mail address of its owner"
        description="Whoever is known by it joins the new account as its owner."
        autoComplete="off"
        value={email}
        onChange={setEmail}
      />
    </CallForm>
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

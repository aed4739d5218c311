import { Box, Button, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ProfileAnswer } from '../../../src/api/console/sign-in/profile-calls.ts'
import type { MailFate } from '../../../src/process/mailer.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault, faultOf } from '../ui/call-fault.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { notify } from '../ui/notify.ts'
import { PasswordField } from '../ui/password-field.tsx'
import { Section } from '../ui/section.tsx'
import { mailNote } from './mail-note.ts'

/** Form for name and e-mail address. A new address takes effect when its link is opened. */
export function Person({ of }: { of: ProfileAnswer }) {
  const [name, setName] = useState(of.name)
  const [email, setEmail] = useState(of.email)
  const [password, setPassword] = useState('')
  const change = useChange('profile/change', ['profile/read', 'session/read'])
  const movesEmail = email.trim().toLowerCase() !== of.email
  const submit = (): void => {
    change.mutate(
      { name, email, ...(movesEmail ? { password } : {}) },
      {
        onSuccess: ({ confirms }) => {
          setPassword('')
          setEmail(of.email)
          void notify(confirms === null ? { color: 'teal', message: 'Saved' } : mailNote(confirms))
        },
      },
    )
  }
  return (
    <Section title="Name and address">
      <Box maw={420}>
        <CallForm call={change} onSubmit={submit} action="Save" ownFaults={['name', 'email', 'password']}>
          <TextInput
            label="Name"
            required
            maxLength={100}
            autoComplete="name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={faultOf(change.error, 'name')}
          />
          <EmailField
            description={
              of.sendsMail
                ? 'Used to sign in. A new address takes effect when you open the link that is mailed to it.'
                : 'Used to sign in. This server does not send mail: ask the operator for a link to change it.'
            }
            value={email}
            onChange={setEmail}
            error={faultOf(change.error, 'email')}
          />
          {movesEmail ? (
            <PasswordField
              description="Required to change the address."
              value={password}
              onChange={setPassword}
              error={faultOf(change.error, 'password')}
            />
          ) : null}
        </CallForm>
        <EmailState of={of} />
      </Box>
    </Section>
  )
}

/** Shows an address that is not confirmed yet. */
function EmailState({ of }: { of: ProfileAnswer }) {
  const send = useChange('email/send-link', ['profile/read'])
  if (of.pendingEmail !== null)
    return (
      <Text size="sm" mt="sm">
        {of.pendingEmail} is not confirmed yet: open the link that was mailed to it. Until then you sign in
        with {of.email}.
      </Text>
    )
  if (of.isEmailProven || !of.sendsMail) return null
  const mailed = ({ mail }: { mail: MailFate }): void => void notify(mailNote({ email: of.email, mail }))
  return (
    <Stack gap="xs" mt="sm" align="flex-start">
      <Text size="sm">
        {of.email} is not confirmed. Confirm it before you add a second factor or passkeys: the confirmation
        removes those added before.
      </Text>
      <CallFault error={send.error} />
      <Button
        variant="default"
        size="xs"
        loading={send.isPending}
        onClick={() => send.mutate({}, { onSuccess: mailed })}
      >
        Send confirmation link
      </Button>
    </Stack>
  )
}

import { Alert, Anchor, Code, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { change } from '../api/call.ts'
import { sessionQuery } from '../api/session.ts'
import { CallForm } from '../ui/call-form.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { OutsidePage } from './outside-page.tsx'

/** Page to reset a forgotten password: by mail, or with help from the operator. */
export function ResetPage() {
  const { data: session } = useQuery(sessionQuery)
  return (
    <OutsidePage title="Reset password">
      {session === undefined ? null : session.mailsResets ? (
        <ResetForm />
      ) : (
        <AskOperator command={session.command} />
      )}
      <Anchor component={Link} to="/sign-in" size="sm">
        Back to sign-in
      </Anchor>
    </OutsidePage>
  )
}

const AskOperator = ({ command }: { command: string }) => (
  <Stack gap="xs">
    <Text>
      This server does not send mail. Ask the operator for a link to choose a new password. On the server,
      this command creates one:
    </Text>
    <Code block style={{ whiteSpace: 'pre-wrap' }}>
      {command} user reset-link --email YOUR-ADDRESS
    </Code>
  </Stack>
)

function ResetForm() {
  const [email, setEmail] = useState('')
  const ask = useMutation({ mutationFn: () => change('reset/ask', null, { email }) })
  if (ask.isSuccess) {
    return (
      <Alert color="teal" variant="light" role="status" title="Check your inbox">
        If {email} belongs to a user, you will receive a link to choose a new password.
      </Alert>
    )
  }
  return (
    <CallForm call={ask} onSubmit={() => ask.mutate()} action="Send link">
      <EmailField value={email} onChange={setEmail} />
    </CallForm>
  )
}

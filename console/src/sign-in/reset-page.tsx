import { Alert, Anchor, Code, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { change } from '../api/call.ts'
import { sessionQuery } from '../api/session.ts'
import { CallForm } from '../ui/call-form.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { OutsidePage } from './outside-page.tsx'

/** The way back for who lost the password: a mail, or the operator. */
export function ResetPage() {
  const { data: session } = useQuery(sessionQuery)
  return (
    <OutsidePage title="A new password">
      {session === undefined ? null : session.mailsResets ? <ResetForm /> : <AskOperator />}
      <Anchor component={Link} to="/sign-in" size="sm">
        Back to the sign-in
      </Anchor>
    </OutsidePage>
  )
}

const AskOperator = () => (
  <Stack gap="xs">
    <Text>
      This service sends no mails. Ask its operator for a link by which you choose a new password. On the
      machine itself, this makes one:
    </Text>
    <Code block style={{ whiteSpace: 'pre-wrap' }}>
      npx onesixty user reset-link --email YOUR-ADDRESS
    </Code>
  </Stack>
)

function ResetForm() {
  const [email, setEmail] = useState('')
  const ask = useMutation({ mutationFn: () => change('reset/ask', null, { email }) })
  if (ask.isSuccess) {
    return (
      <Alert color="teal" variant="light" role="status" title="Look into your mail">
        If somebody signs in with {email}, a link to choose a new password is on its way.
      </Alert>
    )
  }
  return (
    <CallForm call={ask} onSubmit={() => ask.mutate()} action="Send me a link">
      <EmailField value={email} onChange={setEmail} />
    </CallForm>
  )
}

import { Alert, Anchor, Button, Code, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { change } from '../api/call.ts'
import { sessionQuery } from '../api/session.ts'
import { CallFault } from '../ui/call-fault.tsx'
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
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    ask.mutate()
  }
  if (ask.isSuccess) {
    return (
      <Alert color="teal" variant="light" role="status" title="Look into your mail">
        If somebody signs in with {email}, a link to choose a new password is on its way.
      </Alert>
    )
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <CallFault error={ask.error} />
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Button type="submit" loading={ask.isPending}>
          Send me a link
        </Button>
      </Stack>
    </form>
  )
}

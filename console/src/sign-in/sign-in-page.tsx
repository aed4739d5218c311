import { Alert, Button, Center, Paper, PasswordInput, Stack, TextInput, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { change } from '../api/call.ts'

/** E-mail and password. */
export function SignInPage() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const navigate = useNavigate()
  const client = useQueryClient()
  const { next } = useSearch({ strict: false }) as { next?: string }
  const signIn = useMutation({
    mutationFn: () => change('session/sign-in', null, { email, password }),
    onSuccess: async () => {
      await client.invalidateQueries()
      await navigate({ to: ownPath(next) })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    signIn.mutate()
  }
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={400}>
        <form onSubmit={submit}>
          <Stack>
            <Title order={1}>Sign in to onesixty</Title>
            {signIn.isError ? (
              <Alert color="red" role="alert">
                {signIn.error.message}
              </Alert>
            ) : null}
            <TextInput
              label="E-mail address"
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <Button type="submit" loading={signIn.isPending}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}

/** Where to go on: a page of ours, never another site's address that somebody put into a link. */
const ownPath = (next: string | undefined): string =>
  next !== undefined && /^\/(?!\/|\\)/.test(next) ? next : '/'

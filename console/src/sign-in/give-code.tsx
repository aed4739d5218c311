import { Button, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { change } from '../api/call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { useEntry } from './enter.ts'

/** The second half of signing in: the code of the authenticator app. */
export function GiveCode({ to }: { to: string }) {
  const [code, setCode] = useState('')
  const give = useEntry(() => change('session/give-code', null, { code }), { to })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    give.mutate(undefined)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <CallFault error={give.error} />
        <TextInput
          label="Code"
          description="Of your authenticator app, or one of your recovery codes."
          autoComplete="one-time-code"
          required
          data-autofocus
          autoFocus
          maxLength={40}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Button type="submit" loading={give.isPending}>
          Go on
        </Button>
        <Text size="sm" c="dimmed">
          Neither at hand? The operator can take the second factor away.
        </Text>
      </Stack>
    </form>
  )
}

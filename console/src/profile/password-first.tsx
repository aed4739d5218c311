import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { CallFault, faultOf } from '../ui/call-fault.tsx'

/** Asks for the password before something that a borrowed browser must not do. */
export function PasswordFirst(properties: {
  says: string
  action: string
  color?: string
  error: Error | null
  isPending: boolean
  onGiven: (password: string) => void
}) {
  const { says, action, color = 'indigo', error, isPending, onGiven } = properties
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onGiven(password)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{says}</Text>
        <CallFault error={error} fields={['password']} />
        <PasswordInput
          label="Password"
          required
          data-autofocus
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={faultOf(error, 'password')}
        />
        <Group justify="flex-end">
          <Button type="submit" color={color} loading={isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

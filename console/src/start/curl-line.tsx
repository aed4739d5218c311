import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'
import { keyToTry } from '../developers/scopes.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { firstKeyOf, keepFirstKey } from './first-key.ts'

/** Shows a complete curl command. It contains a new test key, which is shown only once. */
export function CurlLine({ isSent }: { isSent: boolean }) {
  const { accountId, mode } = useAccountPlace()
  const [key, setKey] = useState(() => firstKeyOf(accountId))
  const create = useChange('keys/create', ['keys/list'])
  if (mode !== 'test')
    return (
      <Text size="sm">Switch to Test at the top: in test mode a simulator carries messages, at no cost.</Text>
    )
  if (key !== null) return <Line curl={curlWith(key)} />
  if (isSent) return <Text size="sm">A message was sent with a test key of this account.</Text>
  const make = (): void =>
    create.mutate(keyToTry('First steps', null), {
      onSuccess: ({ token }) => {
        keepFirstKey(accountId, token)
        setKey(token)
      },
    })
  return (
    <Stack gap="xs" align="start">
      <CallFault error={create.error} />
      <Text size="sm">The command contains a new test key. It is shown only once.</Text>
      <Button size="sm" onClick={make} loading={create.isPending}>
        Create command
      </Button>
    </Stack>
  )
}

function Line({ curl }: { curl: string }) {
  return (
    <Stack gap="xs">
      <Code block data-testid="curl" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {curl}
      </Code>
      <Group gap="xs">
        <CopyButton text={curl} of="the command" />
        <Text size="sm" c="dimmed">
          Run it in a terminal. The key in it is shown only once.
        </Text>
      </Group>
    </Stack>
  )
}

const curlWith = (key: string): string =>
  `curl ${window.location.origin}/api/v1/send -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"to": "+15005550006", "text": "Hello from onesixty"}'`

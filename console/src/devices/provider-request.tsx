import { Button, Code, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import type { Settings } from './setting-fields.tsx'

/** Shows the request that would submit a message with the entered settings, with the names of secrets. Sends nothing. */
export function ProviderRequest({ settings }: { settings: Settings }) {
  const [to, setTo] = useState('+4915112345678')
  const [text, setText] = useState('Hello')
  const show = useChange('devices/show-request')
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''))
  return (
    <Stack gap="xs">
      <Group align="flex-end" grow preventGrowOverflow={false}>
        <TextInput
          label="Example recipient"
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <TextInput
          label="Example text"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button
          variant="default"
          loading={show.isPending}
          onClick={() => show.mutate({ settings: given, to, text })}
        >
          Show the request
        </Button>
      </Group>
      <CallFault error={show.error} />
      {show.data === undefined ? null : (
        <Code block aria-label="Request" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {show.data.lines.join('\n')}
        </Code>
      )}
    </Stack>
  )
}

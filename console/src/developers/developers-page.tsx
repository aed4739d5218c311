import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ListedApiKey } from '../../../src/accounts/keys/api-keys.ts'
import { useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { EmptyText, ListState } from '../ui/list-state.tsx'
import { SecretTable } from '../ui/secret-table.tsx'
import { CodeSamples } from './code-samples.tsx'
import { CreateKey } from './create-key.tsx'
import { EndKey } from './end-key.tsx'
import { NewKey } from './new-key.tsx'
import { ReferenceButton } from './reference-button.tsx'

/** Page with API keys, a link to the API reference, and code samples. */
export function DevelopersPage() {
  const { mode } = useAccountPlace()
  const keys = useCall('keys/list', {})
  const [creating, { open, close }] = useDisclosure()
  const [made, setMade] = useState<string | null>(null)
  return (
    <Stack gap="lg" maw={1100}>
      <Group justify="space-between">
        <Title order={1}>Developers</Title>
        <Group gap="xs">
          <ReferenceButton />
          <Button size="xs" onClick={open}>
            Create {mode} key
          </Button>
        </Group>
      </Group>
      {made === null ? null : <NewKey token={made} onClose={() => setMade(null)} />}
      <ListState
        query={keys}
        isEmpty={(answer) => answer.keys.length === 0}
        empty={
          <EmptyText title={`No ${mode} keys yet`}>
            <Text size="sm">API keys authenticate requests. Use one key per application.</Text>
          </EmptyText>
        }
      >
        {(answer) => <KeyTable keys={answer.keys} onMade={setMade} />}
      </ListState>
      <CodeSamples token={made} />
      <CreateKey opened={creating} onClose={close} onMade={setMade} />
    </Stack>
  )
}

const KeyTable = ({ keys, onMade }: { keys: readonly ListedApiKey[]; onMade: (token: string) => void }) => (
  <SecretTable
    of={keys}
    what="Key"
    caption="API keys, newest first. A key is shown only when it is created."
    name={({ name }) => <span style={{ fontWeight: 500 }}>{name}</span>}
    permissions={({ scopes, addresses, dailyCap }) => (
      <>
        <Text size="sm">{scopes.length === 4 ? 'all' : scopes.join(', ')}</Text>
        {addresses.length === 0 ? null : <Text size="xs">from {addresses.join(', ')}</Text>}
        {dailyCap === null ? null : <Text size="xs">{dailyCap} SMS a day</Text>}
      </>
    )}
    actions={(key) => <EndKey of={key} onMade={onMade} />}
  />
)

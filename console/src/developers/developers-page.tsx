import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ListedApiKey } from '../../../src/accounts/api-keys.ts'
import { useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { DataTable } from '../ui/data-table.tsx'
import { EmptyWords, ListState } from '../ui/list-state.tsx'
import { LastFourCell, UseAndStateCells } from '../ui/secret-cells.tsx'
import { CodeSamples } from './code-samples.tsx'
import { CreateKey } from './create-key.tsx'
import { EndKey } from './end-key.tsx'
import { NewKey } from './new-key.tsx'
import { ReferenceButton } from './reference-button.tsx'

/** API keys, the reference, and code to begin with. */
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
            Create a {mode} key
          </Button>
        </Group>
      </Group>
      {made === null ? null : <NewKey token={made} onClose={() => setMade(null)} />}
      <ListState
        query={keys}
        isEmpty={(answer) => answer.keys.length === 0}
        empty={
          <EmptyWords title={`No ${mode} keys yet`}>
            <Text size="sm">A program shows a key with each request. Make one for each program.</Text>
          </EmptyWords>
        }
      >
        {(answer) => <KeyTable keys={answer.keys} onMade={setMade} />}
      </ListState>
      <CodeSamples token={made} />
      <CreateKey opened={creating} onClose={close} onMade={setMade} />
    </Stack>
  )
}

function KeyTable({ keys, onMade }: { keys: readonly ListedApiKey[]; onMade: (token: string) => void }) {
  return (
    <DataTable minWidth={640} caption="API keys, newest first. A key itself is shown only when it is made.">
      <thead>
        <tr>
          <th>Name</th>
          <th>Key</th>
          <th>May</th>
          <th>Last used</th>
          <th>State</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyRow key={key.id} of={key} onMade={onMade} />
        ))}
      </tbody>
    </DataTable>
  )
}

function KeyRow({ of, onMade }: { of: ListedApiKey; onMade: (token: string) => void }) {
  return (
    <tr>
      <td style={{ fontWeight: 500 }}>{of.name}</td>
      <LastFourCell of={of} />
      <td>
        <Text size="sm">{of.scopes.length === 4 ? 'everything' : of.scopes.join(', ')}</Text>
        {of.addresses.length === 0 ? null : <Text size="xs">from {of.addresses.join(', ')}</Text>}
        {of.dailyCap === null ? null : <Text size="xs">{of.dailyCap} SMS a day</Text>}
      </td>
      <UseAndStateCells of={of} />
      <td>{of.state === 'active' ? <EndKey of={of} onMade={onMade} /> : null}</td>
    </tr>
  )
}

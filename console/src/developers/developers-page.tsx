import { Badge, Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ListedApiKey } from '../../../src/accounts/api-keys.ts'
import { useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { EmptyWords, ListState } from '../ui/list-state.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
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
    <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table verticalSpacing="xs" captionSide="top">
        <Table.Caption ta="left">
          API keys, newest first. A key itself is shown only when it is made.
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Key</Table.Th>
            <Table.Th>May</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} of={key} onMade={onMade} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const colors = { active: 'teal', expired: 'gray', revoked: 'gray' } as const

function KeyRow({ of, onMade }: { of: ListedApiKey; onMade: (token: string) => void }) {
  return (
    <Table.Tr>
      <Table.Td fw={500}>{of.name}</Table.Td>
      <Table.Td ff="monospace">…{of.lastFour}</Table.Td>
      <Table.Td>
        <Text size="sm">{of.scopes.length === 4 ? 'everything' : of.scopes.join(', ')}</Text>
        {of.addresses.length === 0 ? null : <Text size="xs">from {of.addresses.join(', ')}</Text>}
        {of.dailyCap === null ? null : <Text size="xs">{of.dailyCap} SMS a day</Text>}
      </Table.Td>
      <Table.Td>{of.lastUsedAt === null ? 'never' : <TimeAgo at={of.lastUsedAt} />}</Table.Td>
      <Table.Td>
        <Badge variant="light" color={colors[of.state]}>
          {of.state}
        </Badge>
        {of.state !== 'active' || of.expiresAt === null ? null : (
          <Text size="xs">
            ends <TimeAgo at={of.expiresAt} />
          </Text>
        )}
      </Table.Td>
      <Table.Td>{of.state === 'active' ? <EndKey of={of} onMade={onMade} /> : null}</Table.Td>
    </Table.Tr>
  )
}

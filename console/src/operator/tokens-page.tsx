import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ListedOperatorToken } from '../../../src/accounts/operator-tokens.ts'
import { useCall } from '../api/use-call.ts'
import { DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmptyWords, ListState } from '../ui/list-state.tsx'
import { LastFourCell, UseAndStateCells } from '../ui/secret-cells.tsx'
import { NewToken } from './new-token.tsx'
import { RevokeToken } from './revoke-token.tsx'
import { TokenForm } from './token-form.tsx'

/** Tokens of the interface for the operator's programs. */
export function TokensPage() {
  const tokens = useCall('operator/tokens', {})
  const [creating, { open, close }] = useDisclosure()
  const [made, setMade] = useState<string | null>(null)
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>Programs</Title>
        <Button size="xs" onClick={open}>
          Create a token
        </Button>
      </Group>
      <Text size="sm" maw={700}>
        A billing system opens accounts, grants SMS and reads what was used at <code>/operator/v1</code>. It
        takes a token from here; no API key works there.{' '}
        <Anchor href="/operator/docs" target="_blank" size="sm">
          Read the reference
        </Anchor>
      </Text>
      {made === null ? null : <NewToken token={made} onClose={() => setMade(null)} />}
      <ListState
        query={tokens}
        isEmpty={(answer) => answer.tokens.length === 0}
        empty={
          <EmptyWords title="No tokens yet">
            <Text size="sm">Make one for each program, with no more than it needs.</Text>
          </EmptyWords>
        }
      >
        {(answer) => <TokenTable tokens={answer.tokens} />}
      </ListState>
      <Dialog opened={creating} onClose={close} title="Create a token">
        <TokenForm onClose={close} onMade={setMade} />
      </Dialog>
    </Stack>
  )
}

function TokenTable({ tokens }: { tokens: readonly ListedOperatorToken[] }) {
  return (
    <DataTable minWidth={640} caption="Tokens, newest first. A token itself is shown only when it is made.">
      <thead>
        <tr>
          <th>Name</th>
          <th>Token</th>
          <th>May</th>
          <th>Last used</th>
          <th>State</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <TokenRow key={token.id} of={token} />
        ))}
      </tbody>
    </DataTable>
  )
}

function TokenRow({ of }: { of: ListedOperatorToken }) {
  return (
    <tr>
      <td>
        <Text size="sm" fw={500}>
          {of.name}
        </Text>
        <Text size="xs" ff="monospace">
          {of.id}
        </Text>
      </td>
      <LastFourCell of={of} />
      <td>{of.scope === 'write' ? 'read and change' : 'read'}</td>
      <UseAndStateCells of={of} />
      <td>{of.state === 'active' ? <RevokeToken of={of} /> : null}</td>
    </tr>
  )
}

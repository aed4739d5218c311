import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ListedOperatorToken } from '../../../src/accounts/keys/operator-tokens.ts'
import { useCall } from '../api/use-call.ts'
import { Dialog } from '../ui/dialog.tsx'
import { EmptyText, ListState } from '../ui/list-state.tsx'
import { SecretTable } from '../ui/secret-table.tsx'
import { NewToken } from './new-token.tsx'
import { RevokeToken } from './revoke-token.tsx'
import { TokenForm } from './token-form.tsx'

/** Page with the tokens of the operator API. */
export function TokensPage() {
  const tokens = useCall('operator/tokens', {})
  const [creating, { open, close }] = useDisclosure()
  const [made, setMade] = useState<string | null>(null)
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>API tokens</Title>
        <Button size="xs" onClick={open}>
          Create token
        </Button>
      </Group>
      <Text size="sm" maw={700}>
        API tokens authenticate clients of the operator API at <code>/operator/v1</code>, for example a
        billing system that creates accounts, grants SMS and reads usage. API keys do not work there.{' '}
        <Anchor href="/operator/docs" target="_blank" size="sm">
          API reference
        </Anchor>
      </Text>
      {made === null ? null : <NewToken token={made} onClose={() => setMade(null)} />}
      <ListState
        query={tokens}
        isEmpty={(answer) => answer.tokens.length === 0}
        empty={
          <EmptyText title="No API tokens yet">
            <Text size="sm">Use one token per client, with no more permissions than it needs.</Text>
          </EmptyText>
        }
      >
        {(answer) => <TokenTable tokens={answer.tokens} />}
      </ListState>
      <Dialog opened={creating} onClose={close} title="Create token">
        <TokenForm onClose={close} onMade={setMade} />
      </Dialog>
    </Stack>
  )
}

const TokenTable = ({ tokens }: { tokens: readonly ListedOperatorToken[] }) => (
  <SecretTable
    of={tokens}
    what="Token"
    caption="API tokens, newest first. A token is shown only when it is created."
    name={({ name, id }) => (
      <>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="xs" ff="monospace">
          {id}
        </Text>
      </>
    )}
    permissions={({ scope }) => (scope === 'write' ? 'read and write' : 'read')}
    actions={(token) => <RevokeToken of={token} />}
  />
)

import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ListedOperatorToken } from '../../../src/accounts/keys/operator-tokens.ts'
import { useCall } from '../api/use-call.ts'
import { Dialog } from '../ui/dialog.tsx'
import { EmptyWords, ListState } from '../ui/list-state.tsx'
import { SecretTable } from '../ui/secret-table.tsx'
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

const TokenTable = ({ tokens }: { tokens: readonly ListedOperatorToken[] }) => (
  <SecretTable
    of={tokens}
    what="Token"
    caption="Tokens, newest first. A token itself is shown only when it is made."
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
    may={({ scope }) => (scope === 'write' ? 'read and change' : 'read')}
    end={(token) => <RevokeToken of={token} />}
  />
)

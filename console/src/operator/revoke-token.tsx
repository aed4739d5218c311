import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ListedOperatorToken } from '../../../src/accounts/keys/operator-tokens.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Button to revoke a token, after confirmation. */
export function RevokeToken({ of }: { of: ListedOperatorToken }) {
  const [revoking, { open, close }] = useDisclosure()
  const revoke = useChange('operator/revoke-token', ['operator/tokens', 'operator/audit'])
  return (
    <>
      <Button size="compact-xs" color="red" variant="light" aria-label={`Revoke ${of.name}`} onClick={open}>
        Revoke
      </Button>
      <Dialog opened={revoking} onClose={close} title={`Revoke ${of.name}`}>
        <Stack>
          <Text size="sm">
            Requests with the token …{of.lastFour} are rejected immediately. This cannot be undone.
          </Text>
          <CallFault error={revoke.error} />
          <Button
            color="red"
            loading={revoke.isPending}
            onClick={() => revoke.mutate({ tokenId: of.id }, { onSuccess: close })}
          >
            Revoke token {of.name}
          </Button>
        </Stack>
      </Dialog>
    </>
  )
}

import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ListedOperatorToken } from '../../../src/accounts/keys/operator-tokens.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** The end of a token, after it was said what ends with it. */
export function RevokeToken({ of }: { of: ListedOperatorToken }) {
  const [revoking, { open, close }] = useDisclosure()
  const revoke = useChange('operator/revoke-token', ['operator/tokens', 'operator/audit'])
  return (
    <>
      <Button size="compact-xs" color="red" variant="light" aria-label={`Revoke ${of.name}`} onClick={open}>
        Revoke
      </Button>
      <Dialog opened={revoking} onClose={close} title={`Revoke ${of.name}?`}>
        <Stack>
          <Text size="sm">
            The program that uses the token …{of.lastFour} is refused at once. This cannot be undone.
          </Text>
          <CallFault error={revoke.error} />
          <Button
            color="red"
            loading={revoke.isPending}
            onClick={() => revoke.mutate({ tokenId: of.id }, { onSuccess: close })}
          >
            Revoke the token {of.name}
          </Button>
        </Stack>
      </Dialog>
    </>
  )
}

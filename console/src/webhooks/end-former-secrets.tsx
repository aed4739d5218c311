import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ListedEndpoint } from '../../../src/webhooks/list-endpoints.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Button to revoke old secrets immediately, after confirmation: for a secret that may have leaked. */
export function EndFormerSecrets({ of }: { of: ListedEndpoint }) {
  const [asking, ask] = useDisclosure()
  const end = useChange('webhooks/end-former-secrets', ['webhooks/list'])
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={ask.open}>
        Revoke old secrets
      </Button>
      <Dialog opened={asking} onClose={ask.close} title="Revoke old secrets">
        <Stack>
          <Text size="sm">
            From then on, events are signed only with the current secret. An application that still verifies
            with an old one rejects every delivery.
          </Text>
          <CallFault error={end.error} />
          <Button
            color="red"
            loading={end.isPending}
            onClick={() => end.mutate({ endpointId: of.id }, { onSuccess: ask.close })}
          >
            Revoke now
          </Button>
        </Stack>
      </Dialog>
    </>
  )
}

import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ListedEndpoint } from '../../../src/webhooks/list-endpoints.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** For a secret that somebody else may know: the former ones end at once, once a person has read what that means. */
export function EndFormerSecrets({ of }: { of: ListedEndpoint }) {
  const [asking, ask] = useDisclosure()
  const end = useChange('webhooks/end-former-secrets', ['webhooks/list'])
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={ask.open}>
        End former secrets
      </Button>
      <Dialog opened={asking} onClose={ask.close} title="End former secrets?">
        <Stack>
          <Text size="sm">
            Only the present secret signs from then on. A program that still verifies with a former one
            refuses every delivery.
          </Text>
          <CallFault error={end.error} />
          <Button
            color="red"
            loading={end.isPending}
            onClick={() => end.mutate({ endpointId: of.id }, { onSuccess: ask.close })}
          >
            End them now
          </Button>
        </Stack>
      </Dialog>
    </>
  )
}

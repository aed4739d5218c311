import { Button, Code, Group, Loader, Stack, Text } from '@mantine/core'
import { useChange } from '../../api/use-call.ts'
import { CallFault } from '../../ui/call-fault.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import type { Guide } from './guide.ts'

/** The link that a phone opens to show that it reaches this server, with its code; and the try of this machine, again after a failure. */
export function ReachLink({ guide }: { guide: Guide }) {
  const { reach, setReach, note, facts } = guide
  const attempt = useChange('devices/try-address')
  const begin = useChange('devices/begin-reach')
  return (
    <Stack gap="xs" align="stretch">
      {reach === null ? (
        <Group>
          <Button
            size="xs"
            variant="default"
            loading={begin.isPending}
            onClick={() => begin.mutate({}, { onSuccess: setReach })}
          >
            Show link and code
          </Button>
        </Group>
      ) : (
        <Group align="flex-start" justify="space-between" gap="sm">
          <Stack gap={4} flex="1 1 200px">
            <Text size="sm" fw={600}>
              Link for the browser of the phone
            </Text>
            <Code fz="sm" style={{ overflowWrap: 'anywhere' }} data-testid="reach-link">
              {reach.link}
            </Code>
            <Group gap="xs" wrap="nowrap">
              <Loader size="xs" aria-hidden />
              <Text size="sm">Waiting for a phone to open the link.</Text>
            </Group>
          </Stack>
          <QrCode code={reach.linkCode} of="the link" />
        </Group>
      )}
      <CallFault error={begin.error ?? attempt.error} />
      {facts.address?.isOk === false ? (
        <Group>
          <Button
            size="xs"
            variant="default"
            loading={attempt.isPending}
            onClick={() => attempt.mutate({}, { onSuccess: (address) => note({ address }) })}
          >
            Try address again
          </Button>
        </Group>
      ) : null}
    </Stack>
  )
}

import { Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import type { DeliveryTry } from '../../../src/webhooks/list-deliveries.ts'
import { useCall, useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { formatExact, formatSpan } from '../ui/format.ts'
import { ListState } from '../ui/list-state.tsx'
import { notify } from '../ui/notify.ts'
import { DeliveryState, lastResult } from './delivery-state.tsx'

/** Shows a delivery: the request, and the response to each attempt. */
export function DeliveryDetails(properties: { endpointId: string; eventId: string; canReplay: boolean }) {
  const { endpointId, eventId, canReplay } = properties
  const delivery = useCall('webhooks/delivery', { endpointId, eventId })
  const replay = useChange('webhooks/replay', [
    'webhooks/deliveries',
    'webhooks/delivery',
    'webhooks/of-message',
  ])
  const resend = (): void =>
    replay.mutate(
      { endpointId, eventId },
      { onSuccess: () => void notify({ color: 'teal', message: 'Queued to be resent' }) },
    )
  return (
    <ListState query={delivery}>
      {({ delivery: found, body, tries }) => (
        <Stack>
          <Group justify="space-between">
            <Group gap="xs">
              <DeliveryState of={found} />
              <Text size="sm">
                {lastResult(found)}
                {found.dueAt === null || found.dueAt === 0
                  ? ''
                  : `; next attempt ${formatExact(found.dueAt)}`}
              </Text>
            </Group>
            <Button size="xs" disabled={!canReplay} loading={replay.isPending} onClick={resend}>
              Resend
            </Button>
          </Group>
          <CallFault error={replay.error} />
          <Group justify="space-between">
            <Title order={3} size="h5">
              Request
            </Title>
            {body === null ? null : <CopyButton text={body} of="request" />}
          </Group>
          {body === null ? (
            <Text size="sm">The message was deleted, so the request body is no longer available.</Text>
          ) : (
            <Code block tabIndex={0} aria-label="Request body" mah={320} style={{ overflow: 'auto' }}>
              {pretty(body)}
            </Code>
          )}
          <Title order={3} size="h5">
            {tries.length === 1 ? 'Attempt' : 'Attempts'}
          </Title>
          {tries.length === 0 ? <Text size="sm">No attempts yet.</Text> : null}
          {tries.map((each) => (
            <Attempt key={`${each.at} ${each.durationMs}`} of={each} />
          ))}
          <Text size="xs" c="dimmed">
            {eventId}
          </Text>
        </Stack>
      )}
    </ListState>
  )
}

function Attempt({ of: { at, durationMs, status, failure, answer } }: { of: DeliveryTry }) {
  return (
    <Stack gap={4}>
      <Text size="sm">
        {formatExact(at)} · {status === null ? (failure ?? 'no response') : `HTTP ${status}`} after{' '}
        {formatSpan(durationMs)}
      </Text>
      {answer === null || answer === '' ? null : (
        <Code block tabIndex={0} aria-label="Response body" mah={160} style={{ overflow: 'auto' }}>
          {answer}
        </Code>
      )}
    </Stack>
  )
}

const pretty = (json: string): string => JSON.stringify(JSON.parse(json), null, 2)

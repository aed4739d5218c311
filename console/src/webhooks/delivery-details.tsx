import { Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import type { DeliveryTry } from '../../../src/webhooks/list-deliveries.ts'
import { useCall, useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { formatExact, formatSpan } from '../ui/format.ts'
import { ListState } from '../ui/list-state.tsx'
import { notify } from '../ui/notify.ts'
import { answerWords, DeliveryState } from './delivery-state.tsx'

/** One delivery: what is posted, and what each try brought. */
export function DeliveryDetails(properties: { endpointId: string; eventId: string; canReplay: boolean }) {
  const { endpointId, eventId, canReplay } = properties
  const delivery = useCall('webhooks/delivery', { endpointId, eventId })
  const replay = useChange('webhooks/replay', [
    'webhooks/deliveries',
    'webhooks/delivery',
    'webhooks/of-message',
  ])
  const again = (): void =>
    replay.mutate(
      { endpointId, eventId },
      { onSuccess: () => void notify({ color: 'teal', message: 'It is told again.' }) },
    )
  return (
    <ListState query={delivery}>
      {({ delivery: found, body, tries }) => (
        <Stack>
          <Group justify="space-between">
            <Group gap="xs">
              <DeliveryState of={found} />
              <Text size="sm">
                {answerWords(found)}
                {found.dueAt === null || found.dueAt === 0 ? '' : `; next try ${formatExact(found.dueAt)}`}
              </Text>
            </Group>
            <Button size="xs" disabled={!canReplay} loading={replay.isPending} onClick={again}>
              Tell it again
            </Button>
          </Group>
          <CallFault error={replay.error} />
          <Group justify="space-between">
            <Title order={3} size="h5">
              Request
            </Title>
            {body === null ? null : <CopyButton text={body} of="the body" />}
          </Group>
          {body === null ? (
            <Text size="sm">The message is gone, and with it what could be told of it.</Text>
          ) : (
            <Code block tabIndex={0} aria-label="Body of the request" mah={320} style={{ overflow: 'auto' }}>
              {pretty(body)}
            </Code>
          )}
          <Title order={3} size="h5">
            {tries.length === 1 ? 'Answer' : 'Answers'}
          </Title>
          {tries.length === 0 ? <Text size="sm">It was not tried yet.</Text> : null}
          {tries.map((each) => (
            <Try key={`${each.at} ${each.durationMs}`} of={each} />
          ))}
          <Text size="xs" c="dimmed">
            {eventId}
          </Text>
        </Stack>
      )}
    </ListState>
  )
}

function Try({ of: { at, durationMs, status, failure, answer } }: { of: DeliveryTry }) {
  return (
    <Stack gap={4}>
      <Text size="sm">
        {formatExact(at)} · {status === null ? (failure ?? 'no answer') : `answered ${status}`} after{' '}
        {formatSpan(durationMs)}
      </Text>
      {answer === null || answer === '' ? null : (
        <Code block tabIndex={0} aria-label="Body of the answer" mah={160} style={{ overflow: 'auto' }}>
          {answer}
        </Code>
      )}
    </Stack>
  )
}

const pretty = (json: string): string => JSON.stringify(JSON.parse(json), null, 2)

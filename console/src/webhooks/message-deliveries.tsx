import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { formatExact } from '../ui/format.ts'
import { Section } from '../ui/section.tsx'
import { answerWords, DeliveryState } from './delivery-state.tsx'

/** What endpoints were told of one message; nothing where nobody is told. */
export function MessageDeliveries({ messageId }: { messageId: string }) {
  const place = useAccountPlace()
  const told = useCall('webhooks/of-message', { messageId })
  if (told.data === undefined || told.data.deliveries.length === 0) return null
  return (
    <Section title="Webhooks">
      <Stack gap="xs">
        {told.data.deliveries.map((delivery) => (
          <Group key={`${delivery.endpointId} ${delivery.eventId}`} justify="space-between" gap="xs">
            <Group gap="xs">
              <Anchor component={Link} to={pathOf(place, `/webhooks/${delivery.endpointId}`)} size="sm">
                {delivery.type}
              </Anchor>
              <DeliveryState of={delivery} />
              <Text size="sm">{answerWords(delivery)}</Text>
            </Group>
            <Text size="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
              {formatExact(delivery.at)}
            </Text>
          </Group>
        ))}
      </Stack>
    </Section>
  )
}

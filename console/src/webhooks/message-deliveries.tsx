import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { formatExact } from '../ui/format.ts'
import { Section } from '../ui/section.tsx'
import { DeliveryState, lastResult } from './delivery-state.tsx'

/** Lists the deliveries of a message's events; empty when there are none. */
export function MessageDeliveries({ messageId }: { messageId: string }) {
  const place = useAccountPlace()
  const { data } = useCall('webhooks/of-message', { messageId })
  if (data === undefined || data.deliveries.length === 0) return null
  return (
    <Section title="Webhooks">
      <Stack gap="xs">
        {data.deliveries.map((delivery) => (
          <Group key={`${delivery.endpointId} ${delivery.eventId}`} justify="space-between" gap="xs">
            <Group gap="xs">
              <Anchor component={Link} to={pathOf(place, `/webhooks/${delivery.endpointId}`)} size="sm">
                {delivery.type}
              </Anchor>
              <DeliveryState of={delivery} />
              <Text size="sm">{lastResult(delivery)}</Text>
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

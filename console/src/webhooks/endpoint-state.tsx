import { Badge, Stack, Text } from '@mantine/core'
import type { ListedEndpoint } from '../../../src/webhooks/list-endpoints.ts'
import { TimeFor } from '../ui/time-ago.tsx'

const reasons = {
  person: 'by a user',
  gone: 'the endpoint returned 410 (Gone)',
  failing: 'all deliveries failed for too many days',
} as const

/** Shows the state of an endpoint, and for how long and why its deliveries fail. */
export function EndpointState({ of }: { of: ListedEndpoint }) {
  const { state, disabledBecause, failingSince, failingBecause } = of
  const isFailing = state === 'enabled' && failingSince !== null
  return (
    <Stack gap={2} align="start">
      <Badge variant="light" color={isFailing ? 'orange' : state === 'enabled' ? 'teal' : 'gray'}>
        {isFailing ? 'failing' : state}
      </Badge>
      {disabledBecause === null ? null : <Text size="xs">{reasons[disabledBecause]}</Text>}
      {isFailing ? (
        <Text size="xs">
          <TimeFor since={failingSince} />
        </Text>
      ) : null}
      {failingBecause === null ? null : <Text size="xs">{failingBecause}</Text>}
    </Stack>
  )
}

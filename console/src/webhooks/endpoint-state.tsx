import { Badge, Stack, Text } from '@mantine/core'
import type { ListedEndpoint } from '../../../src/webhooks/list-endpoints.ts'
import { TimeAgo } from '../ui/time-ago.tsx'

const because = {
  person: 'by a person',
  gone: 'it answered 410 (gone)',
  failing: 'it took nothing for too many days',
} as const

/** Whether an endpoint is told, and since when and why it does not take what it is told. */
export function EndpointState({ of }: { of: ListedEndpoint }) {
  const { state, disabledBecause, failingSince, failingBecause } = of
  const isFailing = state === 'enabled' && failingSince !== null
  return (
    <Stack gap={2} align="start">
      <Badge variant="light" tt="none" color={isFailing ? 'orange' : state === 'enabled' ? 'teal' : 'gray'}>
        {isFailing ? 'failing' : state}
      </Badge>
      {disabledBecause === null ? null : <Text size="xs">{because[disabledBecause]}</Text>}
      {isFailing ? (
        <Text size="xs">
          since <TimeAgo at={failingSince} />
        </Text>
      ) : null}
      {failingBecause === null ? null : <Text size="xs">{failingBecause}</Text>}
    </Stack>
  )
}

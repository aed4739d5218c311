import { Anchor, Group, Stack, Text, Title } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import type { ListedEndpoint } from '../../../src/webhooks/list-endpoints.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { Later } from '../ui/later.tsx'
import { ListState } from '../ui/list-state.tsx'
import { NotFound } from '../ui/page-states.tsx'
import { Section } from '../ui/section.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import { EndFormerSecrets } from './end-former-secrets.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { NewSecret } from './new-secret.tsx'

const DeliveryLog = lazyPart(async () => (await import('./delivery-log.tsx')).DeliveryLog)

/** Page of an endpoint: its settings and deliveries. */
export function EndpointPage() {
  const { endpointId = '' } = useParams({ strict: false })
  const place = useAccountPlace()
  const list = useCall('webhooks/list', {})
  return (
    <Stack gap="md" maw={1100}>
      <Anchor component={Link} to={pathOf(place, '/webhooks')} size="sm" w="fit-content">
        ← Webhooks
      </Anchor>
      {list.isSuccess ? null : <Title order={1}>Endpoint</Title>}
      <ListState query={list}>
        {({ endpoints, eventTypes, rotationHours, logDays }) => {
          const endpoint = endpoints.find(({ id }) => id === endpointId)
          if (endpoint === undefined) return <NotFound />
          return <Endpoint of={endpoint} {...{ eventTypes, rotationHours, logDays }} />
        }}
      </ListState>
    </Stack>
  )
}

function Endpoint(properties: {
  of: ListedEndpoint
  eventTypes: readonly string[]
  rotationHours: number
  logDays: number
}) {
  const { of, eventTypes, rotationHours, logDays } = properties
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Stack gap="md">
      <Group justify="space-between" align="start">
        <Stack gap={4} maw={700}>
          <Title order={1} style={{ overflowWrap: 'anywhere' }} size="h2">
            {of.url}
          </Title>
          <EndpointState of={of} />
          <Text size="sm">
            Events: {of.types.length === 0 ? 'all' : of.types.join(', ')}
            {of.mode === null ? ', in both modes' : `, in ${of.mode} mode`}
          </Text>
          {of.previousSecretUntil === null ? null : (
            <Group gap="xs">
              <Text size="sm">
                More than one secret is active. The last old one expires{' '}
                <TimeAgo at={of.previousSecretUntil} />.
              </Text>
              <EndFormerSecrets of={of} />
            </Group>
          )}
          <Text size="xs" c="dimmed">
            {of.id}
          </Text>
        </Stack>
        <EndpointActions of={of} {...{ eventTypes, rotationHours }} onSecret={setSecret} />
      </Group>
      {secret === null ? null : <NewSecret secret={secret} onClose={() => setSecret(null)} />}
      <Section title="Deliveries">
        <Later height={240}>
          <DeliveryLog of={of} logDays={logDays} />
        </Later>
      </Section>
    </Stack>
  )
}

import { Anchor, Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import type { ListedEndpoint } from '../../../src/webhooks/list-endpoints.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmptyText, ListState } from '../ui/list-state.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { NewSecret } from './new-secret.tsx'

const EndpointForm = lazyPart(async () => (await import('./endpoint-form.tsx')).EndpointForm)

/** Page with the webhook endpoints of the account. */
export function WebhooksPage() {
  const endpoints = useCall('webhooks/list', {})
  const [adding, { open, close }] = useDisclosure()
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Stack gap="lg" maw={1100}>
      <Group justify="space-between">
        <Title order={1}>Webhooks</Title>
        <Button size="xs" onClick={open}>
          Add endpoint
        </Button>
      </Group>
      <Text size="sm" maw={700}>
        onesixty sends a signed POST request to your endpoints for each event of messages, devices and the
        balance. No polling needed.
      </Text>
      {secret === null ? null : <NewSecret secret={secret} onClose={() => setSecret(null)} />}
      <ListState
        query={endpoints}
        isEmpty={(answer) => answer.endpoints.length === 0}
        empty={
          <EmptyText title="No endpoints yet">
            <Text size="sm">
              Add the URL of your server. Each endpoint has a signing secret to verify that requests come from
              onesixty.
            </Text>
          </EmptyText>
        }
      >
        {(answer) => <EndpointTable endpoints={answer.endpoints} />}
      </ListState>
      <Dialog opened={adding} onClose={close} title="Add endpoint" size="lg">
        <EndpointForm eventTypes={endpoints.data?.eventTypes ?? []} onClose={close} onMade={setSecret} />
      </Dialog>
    </Stack>
  )
}

const eventCount = (types: number): string =>
  types === 0 ? 'all' : types === 1 ? '1 event' : `${types} events`

function EndpointTable({ endpoints }: { endpoints: readonly ListedEndpoint[] }) {
  const place = useAccountPlace()
  return (
    <DataTable
      minWidth={560}
      caption="Endpoints of the account, oldest first. The list is the same in both modes."
    >
      <thead>
        <tr>
          <th>URL</th>
          <th>Events</th>
          <th>State</th>
          <th>Added</th>
        </tr>
      </thead>
      <tbody>
        {endpoints.map((endpoint) => (
          <tr key={endpoint.id}>
            <td>
              <Anchor component={Link} to={pathOf(place, `/webhooks/${endpoint.id}`)} size="sm">
                <Code style={{ overflowWrap: 'anywhere' }}>{endpoint.url}</Code>
              </Anchor>
            </td>
            <td>
              <Text size="sm">
                {eventCount(endpoint.types.length)}
                {endpoint.mode === null ? '' : `, ${endpoint.mode} only`}
              </Text>
            </td>
            <td>
              <EndpointState of={endpoint} />
            </td>
            <td>
              <TimeAgo at={endpoint.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </DataTable>
  )
}

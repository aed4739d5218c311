import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import type { ListedDelivery } from '../../../src/webhooks/list-deliveries.ts'
import type { ListedEndpoint } from '../../../src/webhooks/list-endpoints.ts'
import { useCall } from '../api/use-call.ts'
import { DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { KeysetPager, useKeysetPages } from '../ui/keyset-pager.tsx'
import { EmptyText, ListState } from '../ui/list-state.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import { DeliveryState, lastResult } from './delivery-state.tsx'

const DeliveryDetails = lazyPart(async () => (await import('./delivery-details.tsx')).DeliveryDetails)
const ReplayRange = lazyPart(async () => (await import('./replay-range.tsx')).ReplayRange)

/** Log of the deliveries to an endpoint, newest first. */
export function DeliveryLog({ of, logDays }: { of: ListedEndpoint; logDays: number }) {
  const pages = useKeysetPages()
  const before = pages.input.beforeId
  const log = useCall(
    'webhooks/deliveries',
    { endpointId: of.id, ...(before === undefined ? {} : { before }) },
    { keepsPrevious: true },
  )
  const [replaying, { open, close }] = useDisclosure()
  const [shown, setShown] = useState<ListedDelivery | null>(null)
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm">Kept for {logDays} days. A resent event has the same ID.</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" loading={log.isFetching} onClick={() => void log.refetch()}>
            Refresh
          </Button>
          <Button size="xs" variant="default" disabled={of.state !== 'enabled'} onClick={open}>
            Replay time range
          </Button>
        </Group>
      </Group>
      <ListState
        query={log}
        isEmpty={({ deliveries }) => deliveries.length === 0 && pages.isFirst}
        empty={
          <EmptyText title="No deliveries yet">
            <Text size="sm">Send a test event or a message.</Text>
          </EmptyText>
        }
      >
        {({ deliveries, nextBeforeId }) => (
          <Stack>
            <LogTable deliveries={deliveries} onShow={setShown} />
            <KeysetPager pages={pages} nextBeforeId={nextBeforeId} />
          </Stack>
        )}
      </ListState>
      <Dialog opened={replaying} onClose={close} title="Replay time range">
        <ReplayRange endpointId={of.id} onClose={close} />
      </Dialog>
      <Dialog
        opened={shown !== null}
        onClose={() => setShown(null)}
        title={shown?.type ?? 'Delivery'}
        size="xl"
      >
        {shown === null ? null : (
          <DeliveryDetails endpointId={of.id} eventId={shown.eventId} canReplay={of.state === 'enabled'} />
        )}
      </Dialog>
    </Stack>
  )
}

function LogTable(properties: {
  deliveries: readonly ListedDelivery[]
  onShow: (delivery: ListedDelivery) => void
}) {
  const { deliveries, onShow } = properties
  return (
    <DataTable minWidth={760}>
      <thead>
        <tr>
          <th>Event</th>
          <th>Time</th>
          <th>State</th>
          <th>Last attempt</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.eventId}>
            <td>{delivery.type}</td>
            <td>
              <TimeAgo at={delivery.at} />
            </td>
            <td>
              <DeliveryState of={delivery} />
            </td>
            <td>{lastResult(delivery)}</td>
            <td data-end>
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`Show ${delivery.type} ${delivery.eventId}`}
                onClick={() => onShow(delivery)}
              >
                Show
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </DataTable>
  )
}

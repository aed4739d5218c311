import { Badge } from '@mantine/core'
import type { ListedDelivery } from '../../../src/webhooks/list-deliveries.ts'

const states = {
  waiting: { label: 'pending', color: 'blue', means: 'Waiting for the first attempt' },
  retrying: { label: 'retrying', color: 'orange', means: 'An attempt failed; the delivery is retried' },
  delivered: { label: 'delivered', color: 'teal', means: 'The endpoint returned 2xx' },
  given_up: { label: 'failed', color: 'red', means: 'All attempts failed' },
  dropped: { label: 'dropped', color: 'gray', means: 'The endpoint or the message was deleted' },
} as const

/** Badge with the state of a delivery; the tooltip explains it. */
export function DeliveryState({ of: { state, failures } }: { of: ListedDelivery }) {
  const { label, color, means } = states[state === 'waiting' && failures > 0 ? 'retrying' : state]
  return (
    <Badge variant="light" color={color} title={means} miw="max-content">
      {label}
    </Badge>
  )
}

/** Formats the result of the last attempt. */
export const lastResult = ({ lastTry }: ListedDelivery): string =>
  lastTry === null
    ? 'not attempted yet'
    : lastTry.status === null
      ? (lastTry.failure ?? 'no response')
      : `HTTP ${lastTry.status}`

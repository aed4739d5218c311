import { Badge } from '@mantine/core'
import type { ListedDelivery } from '../../../src/webhooks/list-deliveries.ts'

const states = {
  waiting: { color: 'blue', means: 'It is told as soon as its turn comes' },
  retrying: { color: 'orange', means: 'It was not taken, and is tried again' },
  delivered: { color: 'teal', means: 'The endpoint answered 2xx' },
  given_up: { color: 'red', means: 'It was not taken however often it was tried' },
  dropped: { color: 'gray', means: 'The endpoint or the message is gone: nothing is told' },
} as const

/** What became of an event on its way to an endpoint; hovering says what it means. */
export function DeliveryState({ of: { state, failures } }: { of: ListedDelivery }) {
  const word = state === 'waiting' && failures > 0 ? 'retrying' : state
  const { color, means } = states[word]
  return (
    <Badge variant="light" tt="none" color={color} title={means} miw="max-content">
      {word.replace('_', ' ')}
    </Badge>
  )
}

/** The last answer in a few words. */
export const answerWords = ({ lastTry }: ListedDelivery): string =>
  lastTry === null
    ? 'not tried yet'
    : lastTry.status === null
      ? (lastTry.failure ?? 'no answer')
      : `answered ${lastTry.status}`

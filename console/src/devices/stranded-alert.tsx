import { Alert } from '@mantine/core'
import type { Waiting } from '../../../src/messages/queue/stranded.ts'
import { formatNumber } from '../ui/format.ts'
import { TimeAgo } from '../ui/time-ago.tsx'

interface Stranded {
  of: Waiting
  /** What the messages wait for, and what a person can do about it. */
  what: string
  remedy: string
}

/** Says what waits for own devices of which no enabled one can carry it, and how it will end; nothing without any. */
export function StrandedAlert({ of: { messages, expireBy }, what, remedy }: Stranded) {
  if (messages === 0) return null
  const isOne = messages === 1
  return (
    <Alert
      color="orange"
      title={`${isOne ? '1 message waits' : `${formatNumber(messages)} messages wait`} for ${what}`}
    >
      No own device that is enabled can send {isOne ? 'it' : 'them'}, and shared devices do not carry what
      costs nothing. {remedy}, and {isOne ? 'it is' : 'they are'} sent. Otherwise{' '}
      {isOne ? 'it expires' : 'they expire'}
      {expireBy === null ? '' : ', at the latest '}
      {expireBy === null ? null : <TimeAgo at={expireBy} />}.
    </Alert>
  )
}

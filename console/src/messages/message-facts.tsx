import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { MessagePage } from '../../../src/api/console/messages/message-page.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { searchOf } from '../api/search.ts'
import { useCall } from '../api/use-call.ts'
import { formatExact } from '../ui/format.ts'
import { TimeAgo } from '../ui/time-ago.tsx'
import styles from './message-facts.module.css'

/** Lists the details of a message: cost, sender, and all request fields. */
export function MessageFacts({ page: { message, sentBy, follows, followedBy } }: { page: MessagePage }) {
  const names = useCall('history/names', {})
  const base = pathOf(useAccountPlace(), '/history')
  const isSent = message.direction === 'outbound'
  return (
    <dl className={styles['facts']}>
      {isSent ? <Fact name="Cost">{costOf(message)}</Fact> : null}
      {sentBy === null ? null : (
        <Fact name="Sent by">{names.data?.senders.find(({ id }) => id === sentBy)?.name ?? sentBy}</Fact>
      )}
      {isSent ? <Fact name="Sender">{message.from ?? 'chosen by the device'}</Fact> : null}
      {isSent ? null : <Fact name="Recipient">{message.to ?? 'number unknown'}</Fact>}
      {message.received_at === null ? null : (
        <Fact name="Received by the network">{formatExact(Date.parse(message.received_at))}</Fact>
      )}
      <Fact name="Country">{message.country ?? 'unknown'}</Fact>
      {isSent ? <Fact name="Category">{message.category}</Fact> : null}
      {isSent ? (
        <Fact name="Receipt">
          {message.receipt_expected === null
            ? 'known after submission to a device'
            : message.receipt_expected
              ? 'expected from the network'
              : 'not available from this device'}
        </Fact>
      ) : null}
      {message.send_at === null ? null : (
        <Fact name="Scheduled for">{formatExact(Date.parse(message.send_at))}</Fact>
      )}
      {message.final || message.expires_at === null ? null : (
        <Fact name="Expires">
          <TimeAgo at={message.expires_at} />
        </Fact>
      )}
      {message.possible_duplicate ? (
        <Fact name="Possible duplicate">
          Submitted again after an unknown outcome; may have arrived twice
        </Fact>
      ) : null}
      {follows === null ? null : (
        <Fact name="Follows">
          <Anchor component={Link} to={`${base}/${follows}`} inherit>
            {follows}
          </Anchor>
          , which was not delivered
        </Fact>
      )}
      {followedBy === null ? null : (
        <Fact name="Followed by">
          <Anchor component={Link} to={`${base}/${followedBy}`} inherit>
            {followedBy}
          </Anchor>
        </Fact>
      )}
      {message.client_reference === null ? null : (
        <Fact name="Reference">
          <Anchor
            component={Link}
            to={base}
            search={searchOf({ reference: message.client_reference })}
            inherit
          >
            {message.client_reference}
          </Anchor>
        </Fact>
      )}
      {Object.entries(message.metadata).map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
      {message.send_id === null ? null : (
        <Fact name="Send">
          <Anchor component={Link} to={base} search={searchOf({ send: message.send_id })} inherit>
            {message.send_id}
          </Anchor>
        </Fact>
      )}
      <Fact name="Message ID">{message.id}</Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} dir="auto" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </>
  )
}

function costOf({ cost, fallback }: MessagePage['message']): string {
  const { held, charged, state, paid_by: paidBy } = cost
  const sms = (count: number): string => `${count} SMS`
  if (paidBy === 'own_device') {
    if (state === 'released') return `nothing: not sent, and own devices cost nothing`
    return `nothing: ${sms(state === 'held' ? held : charged)} over own devices`
  }
  if (state === 'held')
    return fallback === null
      ? `${sms(held)} held, charged when sent`
      : `${sms(held)} held, charged when a shared device sends it, released when an own one does`
  if (state === 'charged') return `${sms(charged)} charged`
  if (state === 'partial') return `${sms(charged)} charged, ${sms(held - charged)} released`
  return state === 'released' ? `nothing: ${sms(held)} released` : 'nothing'
}

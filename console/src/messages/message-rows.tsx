import { Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ListedMessage } from '../../../src/api/console/messages/listed-message.ts'
import { useAccountPlace } from '../api/place.ts'
import { MessageState } from '../ui/message-state.tsx'
import { formatExact } from '../ui/format.ts'
import { TimeAgo } from '../ui/time-ago.tsx'
import { RowActions } from './row-actions.tsx'
import styles from './message-list.module.css'

/** Returns the names of IDs. */
export interface Names {
  device(id: string): string
}

/** Renders a message as a table row. */
export function MessageTableRow({ of, index, names }: { of: ListedMessage; index: number; names: Names }) {
  return (
    <tr className={styles['row']} aria-rowindex={index + 2}>
      <td>
        <MessageState of={of.status} />
      </td>
      <td>
        <NumberLink of={of} />
      </td>
      <td>
        <Content of={of} />
      </td>
      <td>
        {of.status === 'scheduled' ? (
          <RowActions of={of} />
        ) : (
          <Text size="sm" truncate>
            {of.deviceId === null ? '–' : names.device(of.deviceId)}
          </Text>
        )}
      </td>
      <td data-end>{of.parts}</td>
      <td data-end>
        <Text size="sm" span>
          <TimeAgo at={of.createdAtMs} />
        </Text>
      </td>
    </tr>
  )
}

/** Renders a message as a card, for narrow screens. */
export function MessageCard({ of }: { of: ListedMessage }) {
  return (
    <li className={styles['card']}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <NumberLink of={of} />
        <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
          <TimeAgo at={of.createdAtMs} />
        </Text>
      </Group>
      <Group wrap="nowrap" gap="xs" align="start">
        <MessageState of={of.status} />
        <Content of={of} />
        {of.status === 'scheduled' ? <RowActions of={of} /> : null}
      </Group>
    </li>
  )
}

/** Shows the number of the other party, linked to the page of the message. */
function NumberLink({ of }: { of: ListedMessage }) {
  const { accountId, mode } = useAccountPlace()
  const isReceived = of.direction === 'inbound'
  return (
    <Link
      to="/a/$accountId/$mode/history/$messageId"
      params={{ accountId, mode, messageId: of.id }}
      className={styles['link']}
      data-message={of.id}
    >
      <Text size="sm" fw={500} span truncate>
        <span aria-hidden="true">{isReceived ? '← ' : '→ '}</span>
        {of.number ?? 'unknown number'}
      </Text>
    </Link>
  )
}

/** Shows the text, and below it the sender, the error code and the reference. */
function Content({ of }: { of: ListedMessage }) {
  const more = [
    of.status === 'scheduled' && of.sendAtMs !== null ? `at ${formatExact(of.sendAtMs)}` : null,
    of.errorCode,
    of.own === null ? null : of.direction === 'inbound' ? `to ${of.own}` : `as ${of.own}`,
    of.reference,
  ].filter((word) => word !== null)
  return (
    <div style={{ minWidth: 0, flex: 1 }}>
      <Text size="sm" truncate dir="auto" {...(of.text === null ? { c: 'dimmed', fs: 'italic' } : {})}>
        {of.text ?? 'text erased'}
      </Text>
      {more.length === 0 ? null : (
        <Text size="xs" c="dimmed" truncate dir="auto">
          {more.join(' · ')}
        </Text>
      )}
    </div>
  )
}

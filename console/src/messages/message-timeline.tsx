import { Group, Text } from '@mantine/core'
import type { CSSProperties } from 'react'
import type { MessagePage } from '../../../src/api/console/messages/message-page.ts'
import { formatExact, formatSpan } from '../ui/format.ts'
import { messageStates, type MessageStatus } from '../ui/message-states.ts'
import { TimeAgo } from '../ui/time-ago.tsx'
import styles from './message-timeline.module.css'

/** Lists the statuses of a message with their times and intervals, and what it is waiting for. */
export function MessageTimeline({ page }: { page: MessagePage }) {
  const { timeline, message } = page
  const next = nextOf(page)
  const device = (id: string | null): string =>
    id === null ? '' : ` · ${page.deviceNames[id] ?? 'a shared device'}`
  return (
    <ol className={styles['line']}>
      {timeline.map((entry, i) => {
        const before = timeline[i - 1]
        return (
          <li key={i} className={styles['entry']}>
            <Dot status={entry.status} />
            <Group gap="xs" justify="space-between" align="baseline">
              <Text fw={600} size="sm">
                {labelOf(entry.status, before?.status ?? null, message.direction === 'inbound')}
                <Text span inherit fw={400} c="dimmed">
                  {device(entry.deviceId)}
                </Text>
              </Text>
              <Text size="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
                <time dateTime={new Date(entry.atMs).toISOString()}>{formatExact(entry.atMs)}</time>
                {before === undefined ? null : (
                  <Text span inherit c="dimmed">
                    {' '}
                    +{formatSpan(Math.max(0, entry.atMs - before.atMs))}
                  </Text>
                )}
              </Text>
            </Group>
          </li>
        )
      })}
      {next === null ? null : (
        <li className={`${styles['entry']} ${styles['ahead']}`}>
          <span className={styles['dot']} aria-hidden="true" />
          <Text size="sm" c="dimmed">
            {next.label}
            {next.atMs === null ? null : (
              <>
                {' '}
                <TimeAgo at={next.atMs} />
              </>
            )}
          </Text>
        </li>
      )}
    </ol>
  )
}

function Dot({ status }: { status: MessageStatus }) {
  const { color } = messageStates[status]
  return (
    <span
      className={styles['dot']}
      aria-hidden="true"
      style={{ '--dot': `var(--mantine-color-${color}-6)` } as CSSProperties}
    />
  )
}

const labels: Partial<Record<MessageStatus, string>> = {
  queued: 'Requeued',
  sending: 'Submitted',
  sent: 'Sent',
  delivered: 'Delivered',
  received: 'Received',
}

function labelOf(status: MessageStatus, before: MessageStatus | null, isReceived: boolean): string {
  if (status === 'queued' && before === 'scheduled') return 'Due'
  if (before === null && !isReceived) return status === 'scheduled' ? 'Accepted, scheduled' : 'Accepted'
  return labels[status] ?? `${status.charAt(0).toUpperCase()}${status.slice(1)}`
}

/** Returns what the message is waiting for, or null. */
function nextOf({
  message,
  receiptsAwaited,
  dueAtMs,
}: MessagePage): { label: string; atMs: number | null } | null {
  if (message.status === 'queued' || message.status === 'scheduled')
    return dueAtMs === null || dueAtMs <= Date.now()
      ? { label: 'Waiting for a device', atMs: null }
      : { label: 'Next attempt', atMs: dueAtMs }
  if (message.status === 'sending') return { label: 'Waiting for the device', atMs: null }
  if (message.status === 'sent' && receiptsAwaited > 0)
    return {
      label:
        receiptsAwaited === 1
          ? 'Waiting for a delivery receipt'
          : `Waiting for ${receiptsAwaited} delivery receipts`,
      atMs: null,
    }
  return null
}

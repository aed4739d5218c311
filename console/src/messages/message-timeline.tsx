import { Group, Text } from '@mantine/core'
import type { CSSProperties } from 'react'
import type { MessagePage } from '../../../src/api/console/messages/message-page.ts'
import { formatExact, formatSpan } from '../ui/format.ts'
import { messageStates, type MessageStatus } from '../ui/message-states.ts'
import { TimeAgo } from '../ui/time-ago.tsx'
import styles from './message-timeline.module.css'

/** Each state that the message reached, when, and how long after the one before; at the end what is waited for. */
export function MessageTimeline({ page }: { page: MessagePage }) {
  const { timeline, message } = page
  const awaits = awaited(page)
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
                {wordsOf(entry.status, before?.status ?? null, message.direction === 'inbound')}
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
      {awaits === null ? null : (
        <li className={`${styles['entry']} ${styles['ahead']}`}>
          <span className={styles['dot']} aria-hidden="true" />
          <Text size="sm" c="dimmed">
            {awaits.says}
            {awaits.atMs === null ? null : (
              <>
                {' '}
                <TimeAgo at={awaits.atMs} />
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

const words: Partial<Record<MessageStatus, string>> = {
  queued: 'Back in the queue',
  sending: 'Handed over',
  sent: 'Sent',
  delivered: 'Delivered',
  received: 'Received',
}

function wordsOf(status: MessageStatus, before: MessageStatus | null, isReceived: boolean): string {
  if (status === 'queued' && before === 'scheduled') return 'Its time came'
  if (before === null && !isReceived) return status === 'scheduled' ? 'Accepted, scheduled' : 'Accepted'
  return words[status] ?? `${status.charAt(0).toUpperCase()}${status.slice(1)}`
}

/** What comes next, as far as the server knows; null when nothing does. */
function awaited({
  message,
  receiptsAwaited,
  dueAtMs,
}: MessagePage): { says: string; atMs: number | null } | null {
  if (message.status === 'queued' || message.status === 'scheduled')
    return dueAtMs === null || dueAtMs <= Date.now()
      ? { says: 'Waits for a device', atMs: null }
      : { says: 'Next hand-over', atMs: dueAtMs }
  if (message.status === 'sending') return { says: 'Waits for the word of the device', atMs: null }
  if (message.status === 'sent' && receiptsAwaited > 0)
    return {
      says:
        receiptsAwaited === 1
          ? 'Waits for a receipt of the network'
          : `Waits for ${receiptsAwaited} receipts of the network`,
      atMs: null,
    }
  return null
}

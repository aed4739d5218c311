import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import type { MessagePage as Answer } from '../../../src/api/console/messages/message-page.ts'
import type { MessagesEvent } from '../../../src/api/console/live/live-messages.ts'
import { Suspense } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import { useLive } from '../api/live.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { ListState } from '../ui/list-state.tsx'
import { MessageState } from '../ui/message-state.tsx'
import { messageStates } from '../ui/message-states.ts'
import { Section } from '../ui/section.tsx'
import { labelOf } from './error-codes.ts'
import { MessageActions } from './message-actions.tsx'
import { MessageAttempts } from './message-attempts.tsx'
import { MessageFacts } from './message-facts.tsx'
import { MessageParts } from './message-parts.tsx'
import { MessageRouting } from './message-routing.tsx'
import styles from './message-page.module.css'
import { MessageTimeline } from './message-timeline.tsx'

const MessageDeliveries = lazyPart(
  async () => (await import('../webhooks/message-deliveries.tsx')).MessageDeliveries,
)

/** Page of a message with all its details, updated live. */
export function MessagePage() {
  const { messageId = '' } = useParams({ strict: false })
  const place = useAccountPlace()
  const query = useCall('history/message', { id: messageId })
  useLive(['messages'], (content) => {
    const event = content as MessagesEvent
    if (event.kind !== 'changed' || event.rows.some(({ id }) => id === messageId)) void query.refetch()
  })
  return (
    <Stack gap="md" maw={1200}>
      <Anchor component={Link} to={pathOf(place, '/history')} size="sm" w="fit-content">
        ← History
      </Anchor>
      {query.isSuccess ? null : <Title order={1}>Message</Title>}
      <ListState query={query} rows={8}>
        {(page) => <Details page={page} />}
      </ListState>
    </Stack>
  )
}

function Details({ page }: { page: Answer }) {
  const { message } = page
  const isReceived = message.direction === 'inbound'
  const number = isReceived ? message.from : message.to
  return (
    <Stack gap="md">
      <Group justify="space-between" align="start">
        <Stack gap={4}>
          <Group gap="sm">
            <Title order={1} style={{ fontVariantNumeric: 'tabular-nums' }}>
              {isReceived ? 'From' : 'To'} {number ?? 'an unknown number'}
            </Title>
            <MessageState of={message.status} size="lg" />
          </Group>
          <Text size="sm" c="dimmed">
            {messageStates[message.status].means}
          </Text>
          {isReceived && number !== null ? <ConversationLink number={number} /> : null}
        </Stack>
        <MessageActions page={page} />
      </Group>
      <Cause page={page} />
      <MessageParts page={page} />
      <div className={styles['columns']}>
        <Stack gap="md">
          <Section title="Timeline">
            <MessageTimeline page={page} />
          </Section>
          {page.routing.length === 0 ? null : (
            <Section title="Route">
              <MessageRouting page={page} />
            </Section>
          )}
          {page.attempts.length === 0 ? null : (
            <Section title={page.attempts.length === 1 ? 'Attempt' : 'Attempts'}>
              <MessageAttempts page={page} />
            </Section>
          )}
        </Stack>
        <Section title="Details">
          <MessageFacts page={page} />
        </Section>
      </div>
      <Suspense>
        <MessageDeliveries messageId={message.id} />
      </Suspense>
    </Stack>
  )
}

function ConversationLink({ number }: { number: string }) {
  const { accountId, mode } = useAccountPlace()
  return (
    <Text size="sm">
      <Link to="/a/$accountId/$mode/conversations/$number" params={{ accountId, mode, number }}>
        Open conversation
      </Link>
    </Text>
  )
}

/** Shows why a message failed and what to do, in the texts of the API. */
function Cause({ page: { message } }: { page: Answer }) {
  const { error } = message
  if (error === null) return null
  return (
    <Paper withBorder p="md" component="section" aria-label="Error">
      <Stack gap={4}>
        <Title order={2}>{labelOf(error.code)}</Title>
        <Text>{error.message}</Text>
        <Text size="sm" c="dimmed">
          {error.code}
          {error.network_code === null ? '' : ` · network code “${error.network_code}”`}
          {error.retryable ? ' · safe to send again, without a duplicate' : ''}
        </Text>
      </Stack>
    </Paper>
  )
}

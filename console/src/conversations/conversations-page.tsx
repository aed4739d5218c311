import { Group, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ConversationList } from '../../../src/api/console/messages/conversation-calls.ts'
import { useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { useOutdated } from '../api/use-outdated.ts'
import { KeysetPager, useKeysetPages } from '../ui/keyset-pager.tsx'
import { EmptyText, ListState } from '../ui/list-state.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import styles from './conversations.module.css'
import { conversationPauseMs } from './pause.ts'

/** Page with the numbers that messages were received from, latest message first. */
export function ConversationsPage() {
  const pages = useKeysetPages()
  const list = useCall('conversations/list', pages.input, { keepsPrevious: true })
  useOutdated(['messages'], ['conversations/list'], conversationPauseMs)
  return (
    <Stack gap="md" maw={960}>
      <Title order={1}>Conversations</Title>
      <ListState
        query={list}
        isEmpty={({ conversations, next }) => conversations.length === 0 && next === null && pages.isFirst}
        empty={
          <EmptyText title="No conversations yet">
            <Text size="sm">
              Messages received on your numbers appear here, one conversation for each sender. They are free
              of charge.
            </Text>
          </EmptyText>
        }
      >
        {({ conversations, next }) => (
          <>
            <ul className={styles['list']} aria-label="Conversations">
              {conversations.map((each) => (
                <Line key={each.number} of={each} />
              ))}
            </ul>
            <KeysetPager pages={pages} nextBeforeId={next} />
          </>
        )}
      </ListState>
    </Stack>
  )
}

function Line({ of: { number, last } }: { of: ConversationList['conversations'][number] }) {
  const { accountId, mode } = useAccountPlace()
  return (
    <li>
      <Link
        to="/a/$accountId/$mode/conversations/$number"
        params={{ accountId, mode, number }}
        className={styles['line']}
      >
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <Text fw={500} truncate style={{ fontVariantNumeric: 'tabular-nums' }}>
            {number}
          </Text>
          <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
            <TimeAgo at={last.createdAtMs} />
          </Text>
        </Group>
        <Text size="sm" c="dimmed" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
          {last.direction === 'outbound' ? 'You: ' : ''}
          {last.text ?? 'text erased'}
        </Text>
      </Link>
    </li>
  )
}

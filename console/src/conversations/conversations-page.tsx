import { Group, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ConversationList } from '../../../src/api/console/messages/conversation-calls.ts'
import { useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { useOutdated } from '../api/use-outdated.ts'
import { KeysetPager, useKeysetPages } from '../ui/keyset-pager.tsx'
import { EmptyWords, ListState } from '../ui/list-state.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import styles from './conversations.module.css'
import { conversationPauseMs } from './pause.ts'

/** Numbers that have written, by their last word. */
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
          <EmptyWords title="Nobody has written yet">
            <Text size="sm">
              What people answer to a number of yours appears here, one conversation for each number. Received
              messages cost nothing.
            </Text>
          </EmptyWords>
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

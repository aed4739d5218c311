import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import type {
  ConversationPage as Answer,
  SaidMessage,
} from '../../../src/api/console/messages/conversation-calls.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { useOutdated } from '../api/use-outdated.ts'
import { KeysetPager, useKeysetPages } from '../ui/keyset-pager.tsx'
import { ListState } from '../ui/list-state.tsx'
import { MessageState } from '../ui/message-state.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import styles from './conversations.module.css'
import { conversationPauseMs } from './pause.ts'
import { Reply } from './reply.tsx'

/** What was said to and by one number, and the place for an answer. */
export function ConversationPage() {
  const { number = '' } = useParams({ strict: false })
  const place = useAccountPlace()
  const pages = useKeysetPages()
  const page = useCall('conversations/page', { number, ...pages.input }, { keepsPrevious: true })
  useOutdated(['messages'], ['conversations/page'], conversationPauseMs)
  return (
    <Stack gap="md" maw={960}>
      <Anchor component={Link} to={pathOf(place, '/conversations')} size="sm" w="fit-content">
        ← Conversations
      </Anchor>
      <Title order={1} style={{ fontVariantNumeric: 'tabular-nums', overflowWrap: 'anywhere' }}>
        {number}
      </Title>
      <ListState query={page}>
        {(answer) => (
          <>
            <KeysetPager pages={pages} nextBeforeId={answer.next} />
            <Said messages={answer.messages} />
            <Answering of={answer} />
          </>
        )}
      </ListState>
    </Stack>
  )
}

function Said({ messages }: { messages: readonly SaidMessage[] }) {
  if (messages.length === 0) return <Text size="sm">There are no messages to or from this number.</Text>
  return (
    <ul className={styles['said']} aria-label="Messages, the newest last">
      {messages.toReversed().map((message) => (
        <SaidLine key={message.id} of={message} />
      ))}
    </ul>
  )
}

function SaidLine({ of: { id, direction, text, status, saidAtMs } }: { of: SaidMessage }) {
  const { accountId, mode } = useAccountPlace()
  const isOwn = direction === 'outbound'
  return (
    <li data-own={isOwn ? '' : undefined}>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text ?? 'text erased'}
      </Text>
      <Group gap="xs">
        <Link
          to="/a/$accountId/$mode/history/$messageId"
          params={{ accountId, mode, messageId: id }}
          className={styles['when']}
        >
          <TimeAgo at={saidAtMs} />
        </Link>
        {isOwn ? <MessageState of={status} /> : null}
      </Group>
    </li>
  )
}

function Answering({ of }: { of: Answer }) {
  const place = useAccountPlace()
  if (of.hasOptedOut)
    return (
      <Alert color="yellow" variant="light" title="This number has opted out">
        <Stack gap="xs" align="start">
          <Text size="sm">Nothing can be sent to it until it answers START.</Text>
          <Button component={Link} to={pathOf(place, '/opt-outs')} size="xs" variant="default">
            Opt-outs
          </Button>
        </Stack>
      </Alert>
    )
  if (!of.isWritable)
    return (
      <Text size="sm" c="dimmed">
        Names and short numbers cannot be answered.
      </Text>
    )
  return <Reply key={`${place.accountId} ${place.mode} ${of.number}`} number={of.number} />
}

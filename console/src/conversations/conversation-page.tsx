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

/** Page with all messages to and from one number, and a form to reply. */
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
            <Messages messages={answer.messages} />
            <ReplyArea of={answer} />
          </>
        )}
      </ListState>
    </Stack>
  )
}

function Messages({ messages }: { messages: readonly SaidMessage[] }) {
  if (messages.length === 0) return <Text size="sm">No messages to or from this number.</Text>
  return (
    <ul className={styles['said']} aria-label="Messages, newest last">
      {messages.toReversed().map((message) => (
        <Message key={message.id} of={message} />
      ))}
    </ul>
  )
}

function Message({ of: { id, direction, text, status, saidAtMs } }: { of: SaidMessage }) {
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

function ReplyArea({ of }: { of: Answer }) {
  const place = useAccountPlace()
  if (of.hasOptedOut)
    return (
      <Alert color="yellow" variant="light" title="This number has opted out">
        <Stack gap="xs" align="start">
          <Text size="sm">You cannot send to it until it replies START.</Text>
          <Button component={Link} to={pathOf(place, '/opt-outs')} size="xs" variant="default">
            View opt-outs
          </Button>
        </Stack>
      </Alert>
    )
  if (!of.isWritable)
    return (
      <Text size="sm" c="dimmed">
        Replies to names and short codes are not possible.
      </Text>
    )
  return <Reply key={`${place.accountId} ${place.mode} ${of.number}`} number={of.number} />
}

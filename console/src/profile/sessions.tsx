import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import type { ListedSession } from '../../../src/api/console/sign-in/session-list.ts'
import { useChange } from '../api/use-call.ts'
import { DataTable } from '../ui/data-table.tsx'
import { CallFault } from '../ui/call-fault.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import { browserName } from './browser-name.ts'
import { Section } from '../ui/section.tsx'

/** Table of the user's sessions, with buttons to end them. */
export function Sessions({ of }: { of: readonly ListedSession[] }) {
  const endOthers = useChange('profile/end-other-sessions', ['profile/read'])
  const others = of.filter(({ isThis }) => !isThis).length
  return (
    <Section title="Sessions">
      <CallFault error={endOthers.error} />
      <DataTable minWidth={300}>
        <thead>
          <tr>
            <th>Browser and address</th>
            <th>Signed in</th>
            <th>Expires</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {of.map((session) => (
            <SessionRow key={session.id} of={session} />
          ))}
        </tbody>
      </DataTable>
      <Group>
        <Button
          size="sm"
          variant="default"
          disabled={others === 0}
          loading={endOthers.isPending}
          onClick={() => endOthers.mutate({})}
        >
          {endLabel(others)}
        </Button>
      </Group>
    </Section>
  )
}

function endLabel(others: number): string {
  if (others === 0) return 'No other sessions'
  return others === 1 ? 'End other session' : `End ${others} other sessions`
}

function SessionRow({ of }: { of: ListedSession }) {
  const end = useChange('profile/end-session', ['profile/read'])
  const browser = browserName(of.agent)
  return (
    <tr>
      <td>
        <Stack gap={0}>
          <Text size="sm" title={of.agent ?? undefined}>
            {browser}
          </Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {of.address ?? 'unknown address'}
          </Text>
          {of.isThis ? (
            <Badge size="sm" variant="light" color="teal">
              current
            </Badge>
          ) : null}
        </Stack>
      </td>
      <td>
        <TimeAgo at={of.startedAt} />
      </td>
      <td>
        <TimeAgo at={of.endsAt} />
      </td>
      <td>
        <CallFault error={end.error} />
        {of.isThis ? null : (
          <Button
            size="compact-xs"
            variant="light"
            color="red"
            loading={end.isPending}
            aria-label={`End session in ${browser} from ${of.address ?? 'an unknown address'}`}
            onClick={() => end.mutate({ sessionId: of.id })}
          >
            End
          </Button>
        )}
      </td>
    </tr>
  )
}

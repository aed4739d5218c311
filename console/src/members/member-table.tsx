import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Member } from '../../../src/accounts/members.ts'
import { useChange } from '../api/use-call.ts'
import { DataTable } from '../ui/data-table.tsx'
import { CallFault } from '../ui/call-fault.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** The people, and what an owner may do with each. */
export function MemberTable(properties: { members: readonly Member[]; isOwner: boolean; ownId: string }) {
  const { members, isOwner, ownId } = properties
  return (
    <DataTable minWidth={320}>
      <thead>
        <tr>
          <th>Name</th>
          <th>Role</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {members.map((member) => (
          <MemberRow key={member.userId} of={member} isOwner={isOwner} isSelf={member.userId === ownId} />
        ))}
      </tbody>
    </DataTable>
  )
}

function MemberRow({ of, isOwner, isSelf }: { of: Member; isOwner: boolean; isSelf: boolean }) {
  const [changing, change] = useDisclosure()
  const [removing, removal] = useDisclosure()
  const next = of.role === 'owner' ? 'member' : 'owner'
  return (
    <tr>
      <td style={{ overflowWrap: 'anywhere' }}>
        <Text size="sm" fw={500}>
          {of.name}
          {isSelf ? ' (you)' : ''}
        </Text>
        <Text size="xs" c="dimmed">
          {of.email}
        </Text>
      </td>
      <td>
        <Badge miw="max-content" variant="light" color={of.role === 'owner' ? 'indigo' : 'gray'}>
          {of.role}
        </Badge>
      </td>
      <td>
        <Group gap="xs" justify="flex-end">
          {isOwner ? (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Make ${next}: ${of.name}`}
              onClick={change.open}
            >
              Make {next}
            </Button>
          ) : null}
          {isOwner || isSelf ? (
            <Button
              size="compact-xs"
              variant="light"
              color="red"
              aria-label={isSelf ? 'Leave the account' : `Remove ${of.name}`}
              onClick={removal.open}
            >
              {isSelf ? 'Leave' : 'Remove'}
            </Button>
          ) : null}
        </Group>
        <Dialog
          opened={changing}
          onClose={change.close}
          title={`Make ${of.name} ${next === 'owner' ? 'an owner' : 'a member'}?`}
        >
          <ChangeRole of={of} next={next} onDone={change.close} />
        </Dialog>
        <Dialog
          opened={removing}
          onClose={removal.close}
          title={isSelf ? 'Leave the account?' : `Remove ${of.name}?`}
        >
          <Remove of={of} isSelf={isSelf} onDone={removal.close} />
        </Dialog>
      </td>
    </tr>
  )
}

function ChangeRole({ of, next, onDone }: { of: Member; next: Member['role']; onDone: () => void }) {
  const change = useChange('members/change-role', ['members/list', 'session/read'])
  return (
    <Stack>
      <CallFault error={change.error} />
      <Text size="sm">
        {next === 'owner'
          ? `${of.email} will decide about keys, people and money of this account.`
          : `${of.email} will still see everything and send, and decide about nothing else.`}
      </Text>
      <Group justify="flex-end">
        <Button
          loading={change.isPending}
          onClick={() => change.mutate({ userId: of.userId, role: next }, { onSuccess: onDone })}
        >
          Make {next}
        </Button>
      </Group>
    </Stack>
  )
}

function Remove({ of, isSelf, onDone }: { of: Member; isSelf: boolean; onDone: () => void }) {
  const remove = useChange('members/remove', ['members/list'])
  const leave = useChange('members/leave')
  const client = useQueryClient()
  const navigate = useNavigate()
  const left = async (): Promise<void> => {
    client.clear()
    await navigate({ to: '/' })
  }
  const go = (): void => {
    if (isSelf) leave.mutate({}, { onSuccess: () => void left() })
    else remove.mutate({ userId: of.userId }, { onSuccess: onDone })
  }
  return (
    <Stack>
      <CallFault error={isSelf ? leave.error : remove.error} />
      <Text size="sm">
        {isSelf
          ? 'You will no longer see this account. Its keys and messages stay.'
          : `${of.email} will no longer see this account. Keys that ${of.name} has copied work on: revoke them as well.`}
      </Text>
      <Group justify="flex-end">
        <Button color="red" loading={remove.isPending || leave.isPending} onClick={go}>
          {isSelf ? 'Leave' : 'Remove'}
        </Button>
      </Group>
    </Stack>
  )
}

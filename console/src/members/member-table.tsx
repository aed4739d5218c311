import { Badge, Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Member } from '../../../src/accounts/people/members.ts'
import { useChange } from '../api/use-call.ts'
import { DataTable } from '../ui/data-table.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Table of members, with the actions of owners. */
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
      <td style={{ overflowWrap: 'anywhere', minWidth: 140 }}>
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
              aria-label={isSelf ? 'Leave account' : `Remove ${of.name}`}
              onClick={removal.open}
            >
              {isSelf ? 'Leave' : 'Remove'}
            </Button>
          ) : null}
        </Group>
        <Dialog
          opened={changing}
          onClose={change.close}
          title={`Make ${of.name} ${next === 'owner' ? 'an owner' : 'a member'}`}
        >
          <ChangeRole of={of} next={next} onDone={change.close} />
        </Dialog>
        <Dialog
          opened={removing}
          onClose={removal.close}
          title={isSelf ? 'Leave account' : `Remove ${of.name}`}
        >
          {isSelf ? <Leave /> : <Remove of={of} onDone={removal.close} />}
        </Dialog>
      </td>
    </tr>
  )
}

function ChangeRole({ of, next, onDone }: { of: Member; next: Member['role']; onDone: () => void }) {
  const change = useChange('members/change-role', ['members/list', 'session/read'])
  return (
    <CallForm
      call={change}
      onSubmit={() => change.mutate({ userId: of.userId, role: next }, { onSuccess: onDone })}
      action={`Make ${next}`}
    >
      <Text size="sm">
        {next === 'owner'
          ? `${of.email} will be able to manage API keys, members and balance of this account.`
          : `${of.email} will still be able to view everything and send, but not to manage the account.`}
      </Text>
    </CallForm>
  )
}

function Remove({ of, onDone }: { of: Member; onDone: () => void }) {
  const remove = useChange('members/remove', ['members/list'])
  return (
    <CallForm
      call={remove}
      onSubmit={() => remove.mutate({ userId: of.userId }, { onSuccess: onDone })}
      action="Remove"
      color="red"
    >
      <Text size="sm">
        {of.email} will no longer see this account. API keys that {of.name} has copied keep working: revoke
        them, too.
      </Text>
    </CallForm>
  )
}

function Leave() {
  const leave = useChange('members/leave')
  const client = useQueryClient()
  const navigate = useNavigate()
  const exit = (): void => {
    client.clear()
    void navigate({ to: '/' })
  }
  return (
    <CallForm call={leave} onSubmit={() => leave.mutate({}, { onSuccess: exit })} action="Leave" color="red">
      <Text size="sm">You will no longer see this account. Its keys and messages stay.</Text>
    </CallForm>
  )
}

import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { InvitationAnswer } from '../../../src/api/console/account/invite.ts'
import { sessionQuery } from '../api/session.ts'
import { useCall, useChange } from '../api/use-call.ts'
import { useAccountPlace } from '../api/place.ts'
import { Dialog } from '../ui/dialog.tsx'
import { ListState } from '../ui/list-state.tsx'
import { InvitationTable } from './invitation-table.tsx'
import { Invite } from './invite.tsx'
import { MemberTable } from './member-table.tsx'
import { NewInvitation } from './new-invitation.tsx'

/** Page with the members of an account. Owners can invite and remove users and change roles. */
export function MembersPage() {
  const { accountId } = useAccountPlace()
  const { data: session } = useQuery(sessionQuery)
  const people = useCall('members/list', {})
  const revoke = useChange('members/revoke-invitation', ['members/list'])
  const [inviting, { open, close }] = useDisclosure()
  const [made, setMade] = useState<InvitationAnswer | null>(null)
  const role = session?.accounts.find(({ id }) => id === accountId)?.role
  const isOwner = role === 'owner' || session?.user?.isOperator === true
  return (
    <Stack gap="lg" maw={960}>
      <Group justify="space-between">
        <Title order={1}>Members</Title>
        {isOwner ? (
          <Button size="xs" onClick={open}>
            Invite user
          </Button>
        ) : null}
      </Group>
      <Text size="sm" c="dimmed">
        Owners manage API keys, members and balance. Members can view everything and send.
      </Text>
      {made === null ? null : <NewInvitation of={made} onClose={() => setMade(null)} />}
      <ListState query={people} rows={3}>
        {({ members, invitations }) => (
          <Stack gap="lg">
            <MemberTable members={members} isOwner={isOwner} ownId={session?.user?.id ?? ''} />
            {invitations.length === 0 ? null : (
              <InvitationTable invitations={invitations} revoke={isOwner ? revoke : null} />
            )}
          </Stack>
        )}
      </ListState>
      <Dialog opened={inviting} onClose={close} title="Invite user">
        <Invite
          onMade={(invitation) => {
            setMade(invitation)
            close()
          }}
        />
      </Dialog>
    </Stack>
  )
}

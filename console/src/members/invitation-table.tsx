import { Button, Table } from '@mantine/core'
import type { MembersAnswer } from '../../../src/api/console/member-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

/** Invitations that nobody has accepted yet. */
export function InvitationTable(properties: { invitations: MembersAnswer['invitations']; isOwner: boolean }) {
  const { invitations, isOwner } = properties
  const revoke = useChange('members/revoke-invitation', ['members/list'])
  return (
    <>
      <CallFault error={revoke.error} />
      <Table.ScrollContainer minWidth={320} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table verticalSpacing="xs" captionSide="top">
          <Table.Caption ta="left">Invitations that were not accepted yet</Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>E-mail address</Table.Th>
              <Table.Th>As</Table.Th>
              <Table.Th>Ends</Table.Th>
              <Table.Td />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {invitations.map(({ id, email, role, expiresAt }) => (
              <Table.Tr key={id}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{email}</Table.Td>
                <Table.Td>{role}</Table.Td>
                <Table.Td>
                  <TimeAgo at={expiresAt} />
                </Table.Td>
                <Table.Td ta="right">
                  {isOwner ? (
                    <Button
                      size="compact-xs"
                      variant="light"
                      color="red"
                      aria-label={`Take back the invitation of ${email}`}
                      onClick={() => revoke.mutate({ linkId: id })}
                    >
                      Take back
                    </Button>
                  ) : null}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  )
}

import { Button } from '@mantine/core'
import type { OpenInvitation } from '../../../src/api/console/account/invitation-calls.ts'
import { DataTable } from '../ui/data-table.tsx'
import { CallFault } from '../ui/call-fault.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

/** Table of pending invitations. `revoke` is null for users who must not revoke them. */
export function InvitationTable(properties: {
  invitations: readonly OpenInvitation[]
  revoke: { error: Error | null; mutate: (invitation: { linkId: string }) => void } | null
}) {
  const { invitations, revoke } = properties
  return (
    <>
      <CallFault error={revoke?.error ?? null} />
      <DataTable minWidth={320} caption="Pending invitations">
        <thead>
          <tr>
            <th>E-mail address</th>
            <th>Role</th>
            <th>Expires</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {invitations.map(({ id, email, role, expiresAt }) => (
            <tr key={id}>
              <td style={{ overflowWrap: 'anywhere' }}>{email}</td>
              <td>{role ?? 'owner of a new account'}</td>
              <td>
                <TimeAgo at={expiresAt} />
              </td>
              <td data-end>
                {revoke === null ? null : (
                  <Button
                    size="compact-xs"
                    variant="light"
                    color="red"
                    aria-label={`Revoke invitation of ${email}`}
                    onClick={() => revoke.mutate({ linkId: id })}
                  >
                    Revoke
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </DataTable>
    </>
  )
}

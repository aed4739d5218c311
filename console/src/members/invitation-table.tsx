import { Button } from '@mantine/core'
import type { OpenInvitation } from '../../../src/api/console/account/invitation-calls.ts'
import { DataTable } from '../ui/data-table.tsx'
import { CallFault } from '../ui/call-fault.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

/** Invitations that nobody has accepted yet. `revoke` takes one back; null for who may not. */
export function InvitationTable(properties: {
  invitations: readonly OpenInvitation[]
  revoke: { error: Error | null; mutate: (invitation: { linkId: string }) => void } | null
}) {
  const { invitations, revoke } = properties
  return (
    <>
      <CallFault error={revoke?.error ?? null} />
      <DataTable minWidth={320} caption="Invitations that were not accepted yet">
        <thead>
          <tr>
            <th>E-mail address</th>
            <th>As</th>
            <th>Ends</th>
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
                    aria-label={`Take back the invitation of ${email}`}
                    onClick={() => revoke.mutate({ linkId: id })}
                  >
                    Take back
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

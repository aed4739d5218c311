import { Text } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { InviteeField } from '../members/invitee-field.tsx'
import { NewInvitation } from '../members/new-invitation.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Dialog to invite a user to create an account, also where sign-up is closed. */
export function InviteToOpen({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Invite user">
      <InviteForm />
    </Dialog>
  )
}

function InviteForm() {
  const [email, setEmail] = useState('')
  const invite = useChange('operator/invite', ['operator/invitations', 'operator/audit'])
  if (invite.data !== undefined) return <NewInvitation of={invite.data} />
  return (
    <CallForm call={invite} onSubmit={() => invite.mutate({ email })} action="Invite" ownFaults={['email']}>
      <Text size="sm">
        The invited user chooses a name and a password, and gets an account of their own with the free SMS.
      </Text>
      <InviteeField email={email} onChange={setEmail} error={invite.error} />
    </CallForm>
  )
}

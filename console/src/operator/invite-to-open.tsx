import { Text } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { InviteeField } from '../members/invitee-field.tsx'
import { NewInvitation } from '../members/new-invitation.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Lets somebody open an account of their own, also where sign-up is not for everybody. */
export function InviteToOpen({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Invite somebody">
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
        Whoever accepts chooses a name and a password, and has an account of their own with the free SMS.
      </Text>
      <InviteeField email={email} onChange={setEmail} error={invite.error} />
    </CallForm>
  )
}

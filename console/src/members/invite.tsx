import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import type { InvitationAnswer } from '../../../src/api/console/account/invite.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { InviteeField } from './invitee-field.tsx'

/** Form to invite a user to the account. */
export function Invite({ onMade }: { onMade: (made: InvitationAnswer) => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<'owner' | 'member'>('member')
  const invite = useChange('members/invite', ['members/list'])
  return (
    <CallForm
      call={invite}
      onSubmit={() => invite.mutate({ email, role }, { onSuccess: onMade })}
      action="Invite"
      ownFaults={['email']}
    >
      <InviteeField email={email} onChange={setEmail} error={invite.error} />
      <Radio.Group
        label="Role"
        value={role}
        onChange={(value) => setRole(value === 'owner' ? 'owner' : 'member')}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="member" label="Member: can view everything and send" />
          <Radio value="owner" label="Owner: can also manage API keys, members and balance" />
        </Stack>
      </Radio.Group>
    </CallForm>
  )
}

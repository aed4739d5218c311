import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import type { InvitationAnswer } from '../../../src/api/console/account/invite.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { InviteeField } from './invitee-field.tsx'

/** The form of an invitation. */
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
        label="As"
        value={role}
        onChange={(value) => setRole(value === 'owner' ? 'owner' : 'member')}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="member" label="Member: sees everything and sends" />
          <Radio value="owner" label="Owner: also decides about keys, people and money" />
        </Stack>
      </Radio.Group>
    </CallForm>
  )
}

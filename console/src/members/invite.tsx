import { Button, Group, Radio, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { InvitationAnswer } from '../../../src/api/console/member-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault, faultOf } from '../ui/call-fault.tsx'

/** The form of an invitation. */
export function Invite({ onMade }: { onMade: (made: InvitationAnswer) => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<'owner' | 'member'>('member')
  const invite = useChange('members/invite', ['members/list'])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    invite.mutate({ email, role }, { onSuccess: onMade })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <CallFault error={invite.error} fields={['email']} />
        <TextInput
          label="E-mail address"
          type="email"
          required
          data-autofocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={faultOf(invite.error, 'email')}
        />
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
        <Group justify="flex-end">
          <Button type="submit" loading={invite.isPending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

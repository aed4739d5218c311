import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { useChange } from '../api/use-call.ts'
import { Choice } from '../ui/choice.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { ToCopy } from '../ui/to-copy.tsx'
import { formatExact } from '../ui/format.ts'

/** Form to create a link with which an owner chooses a new password. */
export function ResetLinkForm({ account }: { account: OperatedAccount }) {
  const [email, setEmail] = useState(account.emails[0] ?? '')
  const make = useChange('operator/reset-link', ['operator/audit'])
  if (make.data !== undefined)
    return (
      <Stack>
        <ToCopy text={make.data.link} of="the link" />
        <Text size="sm">
          Send it only to {email}. It works once, until {formatExact(make.data.expiresAt)}.
        </Text>
      </Stack>
    )
  return (
    <CallForm call={make} onSubmit={() => make.mutate({ email })} action="Create link">
      <Text size="sm">The old password works until a new one is chosen. Then all sessions end.</Text>
      <Choice label="Owner" data={account.emails} value={email} onChange={setEmail} />
    </CallForm>
  )
}

import { Code, Group, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewSecondFactor } from '../../../src/api/console/sign-in/second-factor-calls.ts'
import { useChange } from '../api/use-call.ts'
import { faultOf } from '../ui/call-fault.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { PasswordFirst } from './password-first.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

/** Password, then the secret for the app, then a first code as proof, then the recovery codes. */
export function AddSecondFactor({
  onCodes,
  onDone,
}: {
  onCodes: (shown: boolean) => void
  onDone: () => void
}) {
  const begin = useChange('second-factor/begin')
  const client = useQueryClient()
  const [isConfirmed, setIsConfirmed] = useState(false)
  if (begin.data === undefined) {
    return (
      <PasswordFirst
        says="You need an authenticator app on your phone. First your password:"
        action="Go on"
        call={begin}
        onGiven={(password) => begin.mutate({ password })}
      />
    )
  }
  if (!isConfirmed) return <Confirm made={begin.data} onConfirmed={() => setIsConfirmed(true)} />
  // Only now: the page behind would replace this one as soon as it knew.
  const done = (): void => {
    onDone()
    void client.invalidateQueries({ queryKey: ['profile/read'] })
  }
  return <RecoveryCodes codes={begin.data.recoveryCodes} onShown={onCodes} onDone={done} />
}

function Confirm({ made, onConfirmed }: { made: NewSecondFactor; onConfirmed: () => void }) {
  const [code, setCode] = useState('')
  const confirm = useChange('second-factor/confirm')
  return (
    <CallForm
      call={confirm}
      onSubmit={() => confirm.mutate({ code }, { onSuccess: onConfirmed })}
      action="Add the app"
      ownFaults={['code']}
    >
      <Text size="sm">Read this code with the app, or type the secret into it.</Text>
      <Group justify="center">
        <QrCode code={made.qr} of="the secret, for the authenticator app" size={196} />
      </Group>
      <Code data-testid="totp-secret" ta="center" style={{ overflowWrap: 'anywhere' }}>
        {made.secret}
      </Code>
      <TextInput
        label="Code"
        description="The six digits that the app shows now."
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={20}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        error={faultOf(confirm.error, 'code')}
      />
    </CallForm>
  )
}

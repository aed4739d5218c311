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

/** Steps to add a second factor: password, secret for the app, a first code to verify it, recovery codes. */
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
        description="You need an authenticator app on your phone. First enter your password:"
        action="Continue"
        call={begin}
        onGiven={(password) => begin.mutate({ password })}
      />
    )
  }
  if (!isConfirmed) return <Confirm made={begin.data} onConfirmed={() => setIsConfirmed(true)} />
  // Not earlier: with fresh data the page would replace this dialog.
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
      action="Add app"
      ownFaults={['code']}
    >
      <Text size="sm">Scan this code with the app, or enter the secret.</Text>
      <Group justify="center">
        <QrCode code={made.qr} of="the secret, for the authenticator app" size={196} />
      </Group>
      <Code data-testid="totp-secret" ta="center" style={{ overflowWrap: 'anywhere' }}>
        {made.secret}
      </Code>
      <TextInput
        label="Code"
        description="The 6 digits that the app shows now."
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

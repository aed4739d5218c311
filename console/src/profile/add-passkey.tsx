import { Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { change } from '../api/call.ts'
import { faultOf } from '../ui/call-fault.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { notify } from '../ui/notify.ts'
import { PasswordField } from '../ui/password-field.tsx'
import { browserName } from './browser-name.ts'

/** Form to add a passkey: name and password, then the browser asks for fingerprint, face or PIN. */
export function AddPasskey({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState(() => browserName(navigator.userAgent))
  const [password, setPassword] = useState('')
  const client = useQueryClient()
  const add = useMutation({
    mutationFn: async () => {
      const { makePasskey } = await import('../passkeys/browser-passkeys.ts')
      const made = await makePasskey(await change('passkeys/begin', null, { name, password }))
      return change('passkeys/add', null, { name, made })
    },
    onSuccess: () => {
      onDone()
      void notify({ color: 'teal', message: `You can now sign in with the passkey ${name.trim()}.` })
      return client.invalidateQueries({ queryKey: ['profile/read'] })
    },
  })
  return (
    <CallForm call={add} onSubmit={() => add.mutate()} action="Add passkey" ownFaults={['name', 'password']}>
      <Text size="sm">
        Your browser asks where to store it: on this device, on your phone, or on a security key.
      </Text>
      <TextInput
        label="Name"
        description="Shown in your list of passkeys."
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={faultOf(add.error, 'name')}
      />
      <PasswordField
        data-autofocus
        value={password}
        onChange={setPassword}
        error={faultOf(add.error, 'password')}
      />
    </CallForm>
  )
}

import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import { useChange } from '../api/use-call.ts'
import { Dialog } from '../ui/dialog.tsx'
import { notify } from '../ui/notify.ts'
import { PasswordFirst } from './password-first.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { Section } from '../ui/section.tsx'

const AddSecondFactor = lazyPart(async () => (await import('./add-second-factor.tsx')).AddSecondFactor)

/** Section to add, renew and remove the second factor. */
export function SecondFactor({ isThere }: { isThere: boolean }) {
  const [adding, addition] = useDisclosure()
  const [removing, removal] = useDisclosure()
  const [renewing, renewal] = useDisclosure()
  // Codes are shown only once: neither Escape nor a click outside may close the dialog.
  const [shown, setShown] = useState(false)
  return (
    <Section title="Second factor">
      <Text size="sm">
        {isThere
          ? 'Signing in requires a code of your authenticator app in addition to the password.'
          : 'With an authenticator app on your phone, a stolen password is not enough to sign in.'}
      </Text>
      <Group gap="xs">
        {isThere ? (
          <>
            <Button size="sm" variant="default" onClick={renewal.open}>
              Renew recovery codes
            </Button>
            <Button size="sm" variant="light" color="red" onClick={removal.open}>
              Remove second factor
            </Button>
          </>
        ) : (
          <Button size="sm" onClick={addition.open}>
            Add authenticator app
          </Button>
        )}
      </Group>
      <Dialog opened={adding} onClose={addition.close} isLocked={shown} title="Add authenticator app">
        <AddSecondFactor onCodes={setShown} onDone={addition.close} />
      </Dialog>
      <Dialog opened={removing} onClose={removal.close} title="Remove second factor">
        <Remove onDone={removal.close} />
      </Dialog>
      <Dialog opened={renewing} onClose={renewal.close} isLocked={shown} title="Renew recovery codes">
        <Renew onCodes={setShown} onDone={renewal.close} />
      </Dialog>
    </Section>
  )
}

function Remove({ onDone }: { onDone: () => void }) {
  const remove = useChange('second-factor/remove', ['profile/read'])
  return (
    <PasswordFirst
      description="The password will be enough to sign in again, and the recovery codes stop working."
      action="Remove second factor"
      color="red"
      call={remove}
      onGiven={(password) =>
        remove.mutate(
          { password },
          {
            onSuccess: () => {
              onDone()
              void notify({ message: 'Second factor removed' })
            },
          },
        )
      }
    />
  )
}

function Renew({ onCodes, onDone }: { onCodes: (shown: boolean) => void; onDone: () => void }) {
  const renew = useChange('second-factor/renew-codes')
  if (renew.isSuccess)
    return <RecoveryCodes codes={renew.data.recoveryCodes} onShown={onCodes} onDone={onDone} />
  return (
    <PasswordFirst
      description="Your current codes stop working."
      action="Create new codes"
      call={renew}
      onGiven={(password) => renew.mutate({ password })}
    />
  )
}

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

/** A code beside the password. */
export function SecondFactor({ isThere }: { isThere: boolean }) {
  const [adding, addition] = useDisclosure()
  const [removing, removal] = useDisclosure()
  const [renewing, renewal] = useDisclosure()
  // Codes are shown this once: no key and no click beside them takes them away.
  const [shown, setShown] = useState(false)
  return (
    <Section title="Second factor">
      <Text size="sm">
        {isThere
          ? 'Whoever signs in as you needs a code of your authenticator app beside the password.'
          : 'With an authenticator app on your phone a stolen password alone opens nothing.'}
      </Text>
      <Group gap="xs">
        {isThere ? (
          <>
            <Button size="sm" variant="default" onClick={renewal.open}>
              New recovery codes
            </Button>
            <Button size="sm" variant="light" color="red" onClick={removal.open}>
              Remove the second factor
            </Button>
          </>
        ) : (
          <Button size="sm" onClick={addition.open}>
            Add an authenticator app
          </Button>
        )}
      </Group>
      <Dialog opened={adding} onClose={addition.close} isLocked={shown} title="Add an authenticator app">
        <AddSecondFactor onCodes={setShown} onDone={addition.close} />
      </Dialog>
      <Dialog opened={removing} onClose={removal.close} title="Remove the second factor?">
        <Remove onDone={removal.close} />
      </Dialog>
      <Dialog opened={renewing} onClose={renewal.close} isLocked={shown} title="New recovery codes">
        <Renew onCodes={setShown} onDone={renewal.close} />
      </Dialog>
    </Section>
  )
}

function Remove({ onDone }: { onDone: () => void }) {
  const remove = useChange('second-factor/remove', ['profile/read'])
  return (
    <PasswordFirst
      says="The password alone will be enough again, and the recovery codes stop working."
      action="Remove it"
      color="red"
      call={remove}
      onGiven={(password) =>
        remove.mutate(
          { password },
          {
            onSuccess: () => {
              onDone()
              void notify({ message: 'The second factor is removed.' })
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
      says="The ones you have stop working."
      action="Make new ones"
      call={renew}
      onGiven={(password) => renew.mutate({ password })}
    />
  )
}

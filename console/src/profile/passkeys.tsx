import { Alert, Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazyPart } from '../connection/lazy-part.ts'
import type { ListedPasskey } from '../../../src/accounts/people/passkeys.ts'
import type { ProfileAnswer } from '../../../src/api/console/sign-in/profile-calls.ts'
import { useChange } from '../api/use-call.ts'
import { passkeyFault } from '../passkeys/passkey-fault.ts'
import { DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { notify } from '../ui/notify.ts'
import { Section } from '../ui/section.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import { PasswordFirst } from './password-first.tsx'

const AddPasskey = lazyPart(async () => (await import('./add-passkey.tsx')).AddPasskey)

/** Section to list, add and remove passkeys. */
export function Passkeys({ of }: { of: Pick<ProfileAnswer, 'passkeys' | 'passkeyOrigin'> }) {
  const [adding, addition] = useDisclosure()
  const fault = passkeyFault(of.passkeyOrigin)
  return (
    <Section title="Passkeys" id="passkeys">
      <Text size="sm">
        A passkey signs you in with the fingerprint, face or PIN of your device instead of password and code.
        It is safe against phishing.
      </Text>
      {of.passkeys.length === 0 ? null : <PasskeyTable of={of.passkeys} />}
      {fault === null ? (
        <Group>
          <Button size="sm" onClick={addition.open}>
            Add passkey
          </Button>
        </Group>
      ) : (
        <Alert color="gray" variant="light">
          {fault}
        </Alert>
      )}
      <Dialog opened={adding} onClose={addition.close} title="Add passkey">
        <AddPasskey onDone={addition.close} />
      </Dialog>
    </Section>
  )
}

const PasskeyTable = ({ of }: { of: readonly ListedPasskey[] }) => (
  <DataTable minWidth={300}>
    <thead>
      <tr>
        <th>Name</th>
        <th>Last used</th>
        <td />
      </tr>
    </thead>
    <tbody>
      {of.map((passkey) => (
        <PasskeyRow key={passkey.id} of={passkey} />
      ))}
    </tbody>
  </DataTable>
)

function PasskeyRow({ of }: { of: ListedPasskey }) {
  const [removing, removal] = useDisclosure()
  return (
    <tr>
      <td>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {of.name}
        </Text>
        <Text size="xs" c="dimmed">
          added <TimeAgo at={of.createdAt} />, {of.isSynced ? 'synced between devices' : 'on one device'}
        </Text>
      </td>
      <td>{of.lastUsedAt === null ? 'never' : <TimeAgo at={of.lastUsedAt} />}</td>
      <td data-end>
        <Button
          size="compact-xs"
          variant="light"
          color="red"
          aria-label={`Remove passkey ${of.name}`}
          onClick={removal.open}
        >
          Remove
        </Button>
        <Dialog opened={removing} onClose={removal.close} title={`Remove passkey ${of.name}`}>
          <RemovePasskey of={of} onDone={removal.close} />
        </Dialog>
      </td>
    </tr>
  )
}

function RemovePasskey({ of, onDone }: { of: ListedPasskey; onDone: () => void }) {
  const remove = useChange('passkeys/remove', ['profile/read'])
  const removed = (): void => {
    onDone()
    void notify({ message: `Passkey ${of.name} removed` })
  }
  return (
    <PasswordFirst
      description="This passkey will no longer sign you in. Your device offers it until you delete it there, too."
      action="Remove passkey"
      color="red"
      call={remove}
      onGiven={(password) => remove.mutate({ passkeyId: of.id, password }, { onSuccess: removed })}
    />
  )
}

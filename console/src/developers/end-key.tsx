import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ListedApiKey } from '../../../src/accounts/keys/api-keys.ts'
import { useChange } from '../api/use-call.ts'
import { Choice } from '../ui/choice.tsx'
import { CallFault } from '../ui/call-fault.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Buttons to rotate a key, with an overlap, or to revoke it immediately. */
export function EndKey({ of, onMade }: { of: ListedApiKey; onMade: (token: string) => void }) {
  const [rotating, rotation] = useDisclosure()
  const [revoking, revocation] = useDisclosure()
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Button size="compact-xs" variant="default" aria-label={`Rotate ${of.name}`} onClick={rotation.open}>
        Rotate
      </Button>
      <Button
        size="compact-xs"
        color="red"
        variant="light"
        aria-label={`Revoke ${of.name}`}
        onClick={revocation.open}
      >
        Revoke
      </Button>
      <Dialog opened={rotating} onClose={rotation.close} title={`Rotate ${of.name}`}>
        <Rotate of={of} onMade={onMade} onClose={rotation.close} />
      </Dialog>
      <Dialog opened={revoking} onClose={revocation.close} title={`Revoke ${of.name}`}>
        <Revoke of={of} onClose={revocation.close} />
      </Dialog>
    </Group>
  )
}

const overlaps = [
  { value: '0', label: 'Immediately' },
  { value: '1', label: 'In 1 hour' },
  { value: '24', label: 'In 1 day' },
  { value: '168', label: 'In 1 week' },
]

function Rotate({
  of,
  onMade,
  onClose,
}: {
  of: ListedApiKey
  onMade: (token: string) => void
  onClose: () => void
}) {
  const [hours, setHours] = useState('24')
  const rotate = useChange('keys/rotate', ['keys/list'])
  const made = ({ token }: { token: string }): void => {
    onMade(token)
    onClose()
  }
  return (
    <Stack>
      <Text size="sm">
        This creates a new key with the same permissions. Both work until the old one expires.
      </Text>
      <Choice label={`Old key …${of.lastFour} expires`} data={overlaps} value={hours} onChange={setHours} />
      <CallFault error={rotate.error} />
      <Button
        loading={rotate.isPending}
        onClick={() => rotate.mutate({ keyId: of.id, overlapHours: Number(hours) }, { onSuccess: made })}
      >
        Create new key
      </Button>
    </Stack>
  )
}

function Revoke({ of, onClose }: { of: ListedApiKey; onClose: () => void }) {
  const revoke = useChange('keys/revoke', ['keys/list'])
  return (
    <Stack>
      <Text size="sm">
        Requests with the key …{of.lastFour} are rejected immediately, on other nodes within 5 s. This cannot
        be undone.
      </Text>
      <CallFault error={revoke.error} />
      <Button
        color="red"
        loading={revoke.isPending}
        onClick={() => revoke.mutate({ keyId: of.id }, { onSuccess: onClose })}
      >
        Revoke key {of.name}
      </Button>
    </Stack>
  )
}

import { Button, Checkbox, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ConsoleDevice } from '../../../src/api/console/devices/device-view.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { heldBy } from './device-facts.tsx'
import { nameOf } from './device-state.tsx'

/** The end of a device: what it holds, what becomes of it, and of a phone whether it may come back. */
export function RemoveDevice({ device }: { device: ConsoleDevice }) {
  const place = useAccountPlace()
  const navigate = useNavigate()
  const [isLost, setLost] = useState(false)
  const remove = useChange('devices/remove', ['devices/list'])
  const { isPhone } = device
  const gone = (): void => void navigate({ to: pathOf(place, '/devices') })
  return (
    <Stack>
      <Text size="sm">
        {heldWords(device)} Its settings and secrets are erased; the history keeps its name. This cannot be
        undone.
      </Text>
      {isPhone ? (
        <Checkbox
          label="The phone is lost: revoke the private token in its app too"
          description="Without that it registers as a new device when the app is started anew. Other phones that registered with it stay connected."
          checked={isLost}
          onChange={(event) => setLost(event.currentTarget.checked)}
        />
      ) : null}
      <CallFault error={remove.error} />
      <Button
        color="red"
        loading={remove.isPending}
        onClick={() => remove.mutate({ deviceId: device.id, isLost }, { onSuccess: gone })}
      >
        Remove {nameOf(device)}
      </Button>
    </Stack>
  )
}

function heldWords(device: ConsoleDevice): string {
  const held = heldBy(device)
  if (held === 0) return 'It holds no message now.'
  const messages = held === 1 ? '1 message' : `${held} messages`
  return device.isPhone
    ? `It holds ${messages}. The phone may still send them, and is heard no more: they go by no other phone, and end as unconfirmed. Drain it first to lose none.`
    : `It holds ${messages}. What it has an answer to is settled; the rest ends as unconfirmed. Drain it first to lose none.`
}

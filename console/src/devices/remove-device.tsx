import { Button, Checkbox, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ConsoleDevice } from '../../../src/api/console/devices/device-view.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { heldBy } from './device-facts.tsx'
import { nameOf } from './device-state.tsx'

/** Dialog to remove a device: explains the effect on messages in flight, and can revoke the token of a lost phone. */
export function RemoveDevice({ device }: { device: ConsoleDevice }) {
  const place = useAccountPlace()
  const navigate = useNavigate()
  const [isLost, setLost] = useState(false)
  const remove = useChange('devices/remove', ['devices/list'])
  const { isPhone } = device
  const leave = (): void => void navigate({ to: pathOf(place, '/devices') })
  return (
    <Stack>
      <Text size="sm">
        {inFlightText(device)} Its settings and secrets are erased; History keeps its name. This cannot be
        undone.
      </Text>
      {isPhone ? (
        <Checkbox
          label="The phone is lost: also revoke the private token in its app"
          description="Otherwise it registers as a new device when the app is restarted. Other phones that registered with the token stay connected."
          checked={isLost}
          onChange={(event) => setLost(event.currentTarget.checked)}
        />
      ) : null}
      <CallFault error={remove.error} />
      <Button
        color="red"
        loading={remove.isPending}
        onClick={() => remove.mutate({ deviceId: device.id, isLost }, { onSuccess: leave })}
      >
        Remove {nameOf(device)}
      </Button>
    </Stack>
  )
}

function inFlightText(device: ConsoleDevice): string {
  const count = heldBy(device)
  if (count === 0) return 'The device has no messages in flight.'
  const messages = count === 1 ? '1 message' : `${count} messages`
  return device.isPhone
    ? `The device has ${messages} in flight. The phone may still send them, but its reports are no longer received: they are not submitted again and become unconfirmed. Drain the device first to avoid this.`
    : `The device has ${messages} in flight. Those with a response are settled; the others become unconfirmed. Drain the device first to avoid this.`
}

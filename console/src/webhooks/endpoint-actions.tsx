import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { lazyPart } from '../connection/lazy-part.ts'
import type { ListedEndpoint } from '../../../src/webhooks/list-endpoints.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { notify } from '../ui/notify.ts'

const EndpointForm = lazyPart(async () => (await import('./endpoint-form.tsx')).EndpointForm)

interface Properties {
  of: ListedEndpoint
  eventTypes: readonly string[]
  rotationHours: number
  onSecret: (secret: string) => void
}

/** Buttons of an endpoint: test event, edit, rotate secret, enable or disable, remove. */
export function EndpointActions({ of, eventTypes, rotationHours, onSecret }: Properties) {
  const [changing, change] = useDisclosure()
  const [rotating, rotation] = useDisclosure()
  const [removing, removal] = useDisclosure()
  return (
    <Group gap="xs">
      <TestButton of={of} />
      <Button size="xs" variant="default" onClick={change.open}>
        Edit
      </Button>
      <Button size="xs" variant="default" onClick={rotation.open}>
        Rotate secret
      </Button>
      <StateButton of={of} />
      <Button size="xs" color="red" variant="light" onClick={removal.open}>
        Remove
      </Button>
      <Dialog opened={changing} onClose={change.close} title="Edit endpoint" size="lg">
        <EndpointForm of={of} eventTypes={eventTypes} onClose={change.close} />
      </Dialog>
      <Dialog opened={rotating} onClose={rotation.close} title="Rotate secret">
        <Rotate of={of} rotationHours={rotationHours} onSecret={onSecret} onClose={rotation.close} />
      </Dialog>
      <Dialog opened={removing} onClose={removal.close} title="Remove endpoint">
        <Remove of={of} />
      </Dialog>
    </Group>
  )
}

function TestButton({ of }: { of: ListedEndpoint }) {
  const test = useChange('webhooks/test', ['webhooks/deliveries'])
  const show = (message: string, color: string): void => void notify({ color, message })
  return (
    <Button
      size="xs"
      disabled={of.state !== 'enabled'}
      loading={test.isPending}
      onClick={() =>
        test.mutate(
          { endpointId: of.id },
          {
            onSuccess: () => show('Test event queued. Its response will appear in the log.', 'teal'),
            onError: (error) => show(error.message, 'red'),
          },
        )
      }
    >
      Send test event
    </Button>
  )
}

function StateButton({ of }: { of: ListedEndpoint }) {
  const change = useChange('webhooks/change', ['webhooks/list'])
  const isOn = of.state === 'enabled'
  return (
    <Button
      size="xs"
      variant="default"
      loading={change.isPending}
      onClick={() => change.mutate({ endpointId: of.id, state: isOn ? 'disabled' : 'enabled' })}
    >
      {isOn ? 'Disable' : 'Enable'}
    </Button>
  )
}

function Rotate(properties: Omit<Properties, 'eventTypes'> & { onClose: () => void }) {
  const { of, rotationHours, onSecret, onClose } = properties
  const rotate = useChange('webhooks/rotate', ['webhooks/list'])
  return (
    <Stack>
      <Text size="sm">
        Events are signed with a new secret from now on, and also with the current one for {rotationHours}{' '}
        hours. Configure the new secret in your application within that time.
      </Text>
      <CallFault error={rotate.error} />
      <Button
        loading={rotate.isPending}
        onClick={() =>
          rotate.mutate(
            { endpointId: of.id },
            {
              onSuccess: ({ secret }) => {
                onSecret(secret)
                onClose()
              },
            },
          )
        }
      >
        Create new secret
      </Button>
    </Stack>
  )
}

function Remove({ of }: { of: ListedEndpoint }) {
  const place = useAccountPlace()
  const navigate = useNavigate()
  const remove = useChange('webhooks/remove', ['webhooks/list'])
  const leave = (): void => void navigate({ to: pathOf(place, '/webhooks') })
  return (
    <Stack>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        No more events are sent to {of.url}, and pending deliveries are dropped. Its secret is deleted. This
        cannot be undone.
      </Text>
      <CallFault error={remove.error} />
      <Button
        color="red"
        loading={remove.isPending}
        onClick={() => remove.mutate({ endpointId: of.id }, { onSuccess: leave })}
      >
        Remove endpoint
      </Button>
    </Stack>
  )
}

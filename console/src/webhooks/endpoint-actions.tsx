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

/** What can be done with an endpoint. */
export function EndpointActions({ of, eventTypes, rotationHours, onSecret }: Properties) {
  const [changing, change] = useDisclosure()
  const [rotating, rotation] = useDisclosure()
  const [removing, removal] = useDisclosure()
  return (
    <Group gap="xs">
      <TestButton of={of} />
      <Button size="xs" variant="default" onClick={change.open}>
        Change
      </Button>
      <Button size="xs" variant="default" onClick={rotation.open}>
        Rotate the secret
      </Button>
      <StateButton of={of} />
      <Button size="xs" color="red" variant="light" onClick={removal.open}>
        Remove
      </Button>
      <Dialog opened={changing} onClose={change.close} title="Change the endpoint" size="lg">
        <EndpointForm of={of} eventTypes={eventTypes} onClose={change.close} />
      </Dialog>
      <Dialog opened={rotating} onClose={rotation.close} title="Rotate the secret">
        <Rotate of={of} rotationHours={rotationHours} onSecret={onSecret} onClose={rotation.close} />
      </Dialog>
      <Dialog opened={removing} onClose={removal.close} title="Remove the endpoint?">
        <Remove of={of} />
      </Dialog>
    </Group>
  )
}

function TestButton({ of }: { of: ListedEndpoint }) {
  const test = useChange('webhooks/test', ['webhooks/deliveries'])
  const say = (message: string, color: string): void => void notify({ color, message })
  return (
    <Button
      size="xs"
      disabled={of.state !== 'enabled'}
      loading={test.isPending}
      onClick={() =>
        test.mutate(
          { endpointId: of.id },
          {
            onSuccess: () => say('webhook.test is on its way; its answer stands in the log.', 'teal'),
            onError: (error) => say(error.message, 'red'),
          },
        )
      }
    >
      Send a test event
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
        A new secret signs from now on. The present one signs beside it for {rotationHours} hours, in which
        your program can be given the new one.
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
        Make a new secret
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
        {of.url} is not told of anything any more, nor of what waits. Its secret goes; this cannot be undone.
      </Text>
      <CallFault error={remove.error} />
      <Button
        color="red"
        loading={remove.isPending}
        onClick={() => remove.mutate({ endpointId: of.id }, { onSuccess: leave })}
      >
        Remove the endpoint
      </Button>
    </Stack>
  )
}

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import type { ConsoleDevice, DeviceSetUp } from '../../../src/api/console/device-view.ts'
import { useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'
import { Dialog } from '../ui/dialog.tsx'
import { nameOf } from './device-state.tsx'
import { Faults } from './faults.tsx'
import { TestSms } from './test-sms.tsx'
import { withCode } from './with-code.tsx'

/** What can be done with a device. */
export function DeviceActions({ device, setUp }: { device: ConsoleDevice; setUp: DeviceSetUp }) {
  const [testing, test] = useDisclosure()
  const [removing, removal] = useDisclosure()
  const change = useChange('devices/change', ['devices/one', 'devices/list'])
  const attempt = useChange('devices/try')
  const deviceId = device.id
  const isOff = setUp.state !== 'enabled' || setUp.isDraining
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button size="xs" onClick={test.open}>
          Send a test SMS
        </Button>
        {isOff ? (
          <Button size="xs" variant="default" onClick={() => change.mutate({ deviceId, state: 'enabled' })}>
            Resume
          </Button>
        ) : null}
        {setUp.state === 'enabled' && !setUp.isDraining ? (
          <Button size="xs" variant="default" title="Gives it nothing new; what it holds it ends" onClick={() => change.mutate({ deviceId, isDraining: true })}>
            Drain
          </Button>
        ) : null}
        {setUp.state === 'enabled' ? (
          <Button size="xs" variant="default" title="It sends nothing; what it has not sent goes back to the queue" onClick={() => change.mutate({ deviceId, state: 'disabled' })}>
            Pause
          </Button>
        ) : null}
        {device.kind === 'smpp' ? (
          <Button size="xs" variant="default" loading={attempt.isPending} onClick={() => attempt.mutate({ deviceId })}>
            Try the bind
          </Button>
        ) : null}
        <Button size="xs" color="red" variant="light" onClick={removal.open}>
          Remove
        </Button>
      </Group>
      <Faults error={change.error ?? attempt.error} />
      {attempt.data === undefined ? null : (
        <Alert color={attempt.data.isOk ? 'teal' : 'red'} variant="light" role="status" p="xs">
          <Text size="sm">{withCode(attempt.data.says)}</Text>
          {attempt.data.remedy === null ? null : <Text size="sm">{withCode(attempt.data.remedy)}</Text>}
        </Alert>
      )}
      <Dialog opened={testing} onClose={test.close} title={`Test SMS by ${nameOf(device)}`}>
        <TestSms device={device} setUp={setUp} onClose={test.close} />
      </Dialog>
      <Dialog opened={removing} onClose={removal.close} title={`Remove ${nameOf(device)}?`}>
        <Remove device={device} />
      </Dialog>
    </Stack>
  )
} // prettier-ignore

function Remove({ device }: { device: ConsoleDevice }) {
  const { accountId, mode } = useAccountPlace()
  const navigate = useNavigate()
  const remove = useChange('devices/remove', ['devices/list'])
  const held = device.queue.inFlight ?? device.queue.messages
  return (
    <Stack>
      <Text size="sm">
        {held === 0
          ? 'It holds no message now.'
          : `It holds ${held} message${held === 1 ? '' : 's'}. What it has certainly not sent goes back to the queue; what it may have sent ends as unconfirmed. Drain it first to lose none.`}{' '}
        Its settings and secrets are erased, its history keeps its name. This cannot be undone.
      </Text>
      {device.kind === 'android' ? (
        <Text size="sm">
          The phone is refused from then on. While its private token is good, it registers as a new device
          when the app starts again.
        </Text>
      ) : null}
      <Faults error={remove.error} />
      <Button
        color="red"
        loading={remove.isPending}
        onClick={() =>
          remove.mutate(
            { deviceId: device.id },
            { onSuccess: () => void navigate({ to: `/a/${accountId}/${mode}/devices` }) },
          )
        }
      >
        Remove {nameOf(device)}
      </Button>
    </Stack>
  )
}

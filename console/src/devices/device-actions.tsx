import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazyPart } from '../connection/lazy-part.ts'
import type { ConsoleDevice, DeviceSetUp } from '../../../src/api/console/devices/device-view.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { nameOf } from './device-state.tsx'
import { withCode } from './with-code.tsx'

const RemoveDevice = lazyPart(async () => (await import('./remove-device.tsx')).RemoveDevice)
const TestSms = lazyPart(async () => (await import('./test-sms.tsx')).TestSms)

/** Buttons of a device: test SMS, resume, drain, pause, test of its connection, remove. */
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
          Send test SMS
        </Button>
        {isOff ? (
          <Button size="xs" variant="default" onClick={() => change.mutate({ deviceId, state: 'enabled' })}>
            Resume
          </Button>
        ) : null}
        {setUp.state === 'enabled' && !setUp.isDraining ? (
          <Button
            size="xs"
            variant="default"
            title="Stop sending new messages; finish those in flight"
            onClick={() => change.mutate({ deviceId, isDraining: true })}
          >
            Drain
          </Button>
        ) : null}
        {setUp.state === 'enabled' ? (
          <Button
            size="xs"
            variant="default"
            title="Stop sending; messages that are not sent yet are requeued"
            onClick={() => change.mutate({ deviceId, state: 'disabled' })}
          >
            Pause
          </Button>
        ) : null}
        {device.trial === null ? null : (
          <Button
            size="xs"
            variant="default"
            loading={attempt.isPending}
            onClick={() => attempt.mutate({ deviceId })}
          >
            {device.trial}
          </Button>
        )}
        <Button size="xs" color="red" variant="light" onClick={removal.open}>
          Remove
        </Button>
      </Group>
      <CallFault error={change.error ?? attempt.error} />
      {attempt.data === undefined ? null : (
        <Alert color={attempt.data.isOk ? 'teal' : 'red'} variant="light" role="status" p="xs">
          <Text size="sm">{withCode(attempt.data.summary)}</Text>
          {attempt.data.remedy === null ? null : <Text size="sm">{withCode(attempt.data.remedy)}</Text>}
        </Alert>
      )}
      <Dialog opened={testing} onClose={test.close} title={`Test SMS with ${nameOf(device)}`}>
        <TestSms device={device} setUp={setUp} onClose={test.close} />
      </Dialog>
      <Dialog opened={removing} onClose={removal.close} title={`Remove ${nameOf(device)}`}>
        <RemoveDevice device={device} />
      </Dialog>
    </Stack>
  )
}

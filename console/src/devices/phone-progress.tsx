import { Alert, Anchor, Button, Group, List, Loader, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from '@tanstack/react-router'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { useDevicesLive } from './use-devices-live.ts'

const labels: Readonly<Record<string, string>> = {
  registered: 'Registered',
  'event stream': 'Event stream',
  SIMs: 'SIMs',
  battery: 'Battery',
}

/** Shows the progress of a phone live: it registers, opens its event stream and reports its SIMs. */
export function PhoneProgress(properties: {
  tokenId: string
  onClose: () => void
  /** Instructions, shown until the phone is connected. */
  children: ReactNode
}) {
  const { tokenId, onClose, children } = properties
  const place = useAccountPlace()
  const { data } = useCall('devices/phone-progress', { tokenId })
  useDevicesLive()
  if (data === undefined) return <Loader size="sm" aria-label="Loading" />
  return (
    <Stack>
      {data.isConnected ? null : children}
      <Stack gap="xs" aria-live="polite">
        <List size="sm" listStyleType="none" spacing={4}>
          {data.steps.map(({ name, isDone, summary }) => (
            <List.Item key={name} icon={<span aria-hidden>{isDone ? '✓' : '…'}</span>} data-done={isDone}>
              <b>{labels[name] ?? name}</b>
              {summary === '' ? '' : `: ${summary}`}
            </List.Item>
          ))}
        </List>
        {data.usesPush && !data.isConnected ? (
          <Alert color="yellow" variant="light" title="The phone uses Google push">
            In the app set Notification channel to SSE Only, then switch Cloud Server off and on.
          </Alert>
        ) : null}
        {data.isConnected && data.deviceId !== null ? (
          <Alert color="teal" variant="light" title="Connected" role="status">
            <Stack gap="xs" align="start">
              <Text size="sm">The event stream of the phone is open: it receives messages immediately.</Text>
              <Group>
                <Anchor component={Link} to={pathOf(place, `/devices/${data.deviceId}`)} size="sm">
                  Open phone to set its SIM number and send a test SMS
                </Anchor>
                <Button size="xs" variant="default" onClick={onClose}>
                  Done
                </Button>
              </Group>
            </Stack>
          </Alert>
        ) : null}
      </Stack>
    </Stack>
  )
}

import { Anchor, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ConsoleDevice, DeviceSetUp } from '../../../src/api/console/devices/device-view.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'
import { useRequestKey } from '../api/use-request-key.ts'
import { Choice } from '../ui/choice.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { nameOf } from './device-state.tsx'

/** Form to send a regular message, at its usual cost, from a sender of the device. */
export function TestSms(properties: { device: ConsoleDevice; setUp: DeviceSetUp; onClose: () => void }) {
  const { device, setUp, onClose } = properties
  const place = useAccountPlace()
  const senders = setUp.senders.filter((sender) => sender !== '*')
  const [to, setTo] = useState(place.mode === 'test' ? '+15005550006' : '')
  const [text, setText] = useState(`Test with ${nameOf(device)}`)
  const [from, setFrom] = useState(senders[0] ?? '')
  const { key, renewIfUsed } = useRequestKey()
  const send = useChange('devices/send-test')
  if (send.data !== undefined)
    return (
      <Stack>
        <Text size="sm" role="status">
          Accepted.{' '}
          <Anchor component={Link} to={pathOf(place, `/history/${send.data.messageId}`)}>
            View message
          </Anchor>
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    )
  return (
    <CallForm
      call={send}
      onSubmit={() =>
        send.mutate({ to, text, from: from === '' ? null : from, key }, { onError: renewIfUsed })
      }
      onCancel={onClose}
      action="Send message"
    >
      <TextInput
        label="To"
        required
        data-autofocus
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <Textarea label="Text" required value={text} onChange={(event) => setText(event.currentTarget.value)} />
      {senders.length === 0 ? (
        <Text size="sm">
          This device has no sender of its own, so any device of the account may carry the message. The page
          of the message shows which one did.
        </Text>
      ) : (
        <Choice
          label="From"
          description="Only devices with this sender can carry it."
          data={[...senders, { value: '', label: 'Any sender' }]}
          value={from}
          onChange={setFrom}
        />
      )}
      <Text size="sm" c="dimmed">
        This is a regular send. It costs {place.mode === 'test' ? 'test SMS' : 'SMS'} of your balance, unless
        your own devices are free.
      </Text>
    </CallForm>
  )
}

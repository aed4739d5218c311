import { Alert, Anchor, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { useOutdated } from '../api/use-outdated.ts'
import { ListState } from '../ui/list-state.tsx'
import { CurlLine } from './curl-line.tsx'
import { firstRealSmsWords, isSentForReal } from './first-real-sms.ts'
import { Step } from './step.tsx'
import type { StartAnswer } from '../../../src/api/console/account/start-calls.ts'

/** A step ticks itself at once, and a busy account has long taken them all. */
const pauseMs = 1_000

/** The way from nothing to the first real SMS. Each step ticks itself when the server has seen it happen. */
export function StartPage() {
  const start = useCall('start/read', {})
  useOutdated(['messages', 'balance', 'devices'], ['start/read'], pauseMs)
  return (
    <Stack gap="lg" maw={860}>
      <Stack gap={4}>
        <Title order={1}>First steps</Title>
        <Text c="dimmed">Each step ticks itself as soon as it has happened; there is nothing to reload.</Text>
      </Stack>
      <ListState query={start} rows={4}>
        {(answer) => <Steps of={answer} />}
      </ListState>
    </Stack>
  )
}

function Steps({ of }: { of: StartAnswer }) {
  const isSent = isSentForReal(of)
  const isDone = of.testDelivered && of.device !== null && isSent
  return (
    <Stack component="ol" gap="md" p={0} m={0} style={{ listStyle: 'none' }}>
      <Step number={1} isDone={of.test !== null} title="Send a test message with one line of curl">
        <CurlLine isSent={of.test !== null} />
      </Step>
      <Step number={2} isDone={of.testDelivered} title="See it delivered by the simulator">
        <TestState of={of} />
      </Step>
      <Step number={3} isDone={of.device !== null} title="Connect a phone or a link">
        <DeviceState device={of.device} />
      </Step>
      <Step number={4} isDone={isSent} title="Send the first real SMS">
        <Text size="sm">{firstRealSmsWords(of)}</Text>
      </Step>
      {isDone ? (
        <Alert component="li" color="teal" variant="light" title="Everything works" role="status">
          This account sends real SMS.
        </Alert>
      ) : null}
    </Stack>
  )
}

function TestState({ of }: { of: StartAnswer }) {
  if (of.test === null)
    return <Text size="sm">It appears here by itself a moment after the line was run.</Text>
  return (
    <Text size="sm" aria-live="polite">
      The message is <b>{of.test.status}</b>. In test mode the simulator carries it: no phone, no network, no
      cost.
    </Text>
  )
}

function DeviceState({ device }: { device: StartAnswer['device'] }) {
  const { accountId } = useAccountPlace()
  if (device !== null) {
    return (
      <Text size="sm">
        {device.isShared
          ? 'A device of the operator can be reached, and this account may send with it.'
          : `${device.name} is connected.`}
      </Text>
    )
  }
  return (
    <Text size="sm">
      An Android phone with its SIM, or an SMPP link to an operator. The page{' '}
      <Anchor component={Link} to={pathOf({ accountId, mode: 'live' }, '/devices')} inherit>
        Devices
      </Anchor>{' '}
      leads through it.
    </Text>
  )
}

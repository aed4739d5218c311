import { Alert, Anchor, Code, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { useOutdated } from '../api/use-outdated.ts'
import { ListState } from '../ui/list-state.tsx'
import { CurlLine } from './curl-line.tsx'
import { firstRealSmsText, isSentForReal } from './first-real-sms.ts'
import { Step } from './step.tsx'
import type { StartAnswer } from '../../../src/api/console/account/start-calls.ts'

/** Steps are checked off quickly; a busy account has completed all of them. */
const pauseMs = 1_000

/** Checklist up to the first real SMS. Each step is checked off when the server has recorded it. */
export function StartPage() {
  const start = useCall('start/read', {})
  useOutdated(['messages', 'balance', 'devices'], ['start/read'], pauseMs)
  return (
    <Stack gap="lg" maw={860}>
      <Stack gap={4}>
        <Title order={1}>First steps</Title>
        <Text c="dimmed">Steps are checked off automatically. No need to reload.</Text>
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
      <Step number={1} isDone={of.test !== null} title="Send a test message with curl">
        <CurlLine isSent={of.test !== null} />
      </Step>
      <Step number={2} isDone={of.testDelivered} title="Check that the simulator delivered it">
        <TestState of={of} />
      </Step>
      <Step number={3} isDone={of.device !== null} title="Connect a phone or an SMPP account">
        <DeviceState device={of.device} command={of.command} />
      </Step>
      <Step number={4} isDone={isSent} title="Send the first real SMS">
        <Text size="sm">{firstRealSmsText(of)}</Text>
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
  if (of.test === null) return <Text size="sm">Its status appears here after you run the command.</Text>
  return (
    <Text size="sm" aria-live="polite">
      The message is <b>{of.test.status}</b>. In test mode the simulator carries it: no phone, no network, no
      cost.
    </Text>
  )
}

function DeviceState({ device, command }: Pick<StartAnswer, 'device' | 'command'>) {
  const { accountId } = useAccountPlace()
  if (device !== null) {
    return (
      <Text size="sm">
        {device.isShared
          ? 'A device of the operator is connected. This account can send with it.'
          : `${device.name} is connected.`}
      </Text>
    )
  }
  return (
    <Stack gap="xs">
      <Text size="sm">
        An Android phone with its SIM (
        <Anchor href="/docs/guides/android" inherit>
          guide
        </Anchor>
        ), or an SMPP connection to a carrier (
        <Anchor href="/docs/guides/smpp" inherit>
          guide
        </Anchor>
        ). Connect it under{' '}
        <Anchor component={Link} to={pathOf({ accountId, mode: 'live' }, '/devices')} inherit>
          Devices
        </Anchor>
        , or on the server:
      </Text>
      <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {`${command} device connect`}
      </Code>
    </Stack>
  )
}

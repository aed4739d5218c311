import { Alert, Anchor, Button, Group, Loader, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { GuideBeginning } from '../../../../src/api/console/devices/connect-guide-calls.ts'
import { appAddress, type GuideStepName, guideTitles } from '../../../../src/devices/phones/guide-words.ts'
import type { GuideReturn } from '../../../../src/devices/phones/guide-back.ts'
import { pathOf, useAccountPlace } from '../../api/place.ts'
import { useCall } from '../../api/use-call.ts'
import { QrCode } from '../../ui/qr-code.tsx'
import { useDevicesLive } from '../use-devices-live.ts'
import { ChooseWay } from './choose-way.tsx'
import { GuideStepItem } from './guide-step.tsx'
import { type Guide, useGuide } from './guide.ts'
import { Invitation, type OwnInvitation } from './invitation.tsx'
import { LimitForm } from './limit-form.tsx'
import { LocalForm } from './local-form.tsx'
import { NumberForm } from './number-form.tsx'
import { ReachLink } from './reach-link.tsx'
import { TestForm } from './test-form.tsx'

/** Guides a user from the app to the first SMS and its answer, with the steps and words of `device connect`. */
export function ConnectGuide({ onClose }: { onClose: () => void }) {
  const guide = useGuide()
  const { data: beginning } = useCall('devices/guide-beginning', {})
  const [invitation, setInvitation] = useState<OwnInvitation | null>(null)
  useDevicesLive()
  if (beginning === undefined) return <Skeleton height={200} aria-label="Loading" />
  const invited = (made: OwnInvitation): void => {
    setInvitation(made)
    const { trouble, address, tokenId } = made
    guide.note({
      address:
        trouble === null
          ? { isOk: true, summary: `${address} is reached from this machine.`, remedy: null }
          : { isOk: false, summary: `${trouble.part}: ${trouble.summary}`, remedy: trouble.remedy },
    })
    guide.follow({ tokenId })
  }
  const goBack = (back: GuideReturn): void => {
    // It was used: another phone needs another one.
    if (back.forgets === 'phone' && guide.facts.way === 'internet') setInvitation(null)
    guide.goBack(back)
  }
  const controls = { guide, beginning, invitation, invited }
  return (
    <Stack>
      {guide.leftId === null ? null : <Left deviceId={guide.leftId} />}
      <Stack component="ol" gap="md" p={0} m={0} style={{ listStyle: 'none' }}>
        {guide.steps.map((step) => (
          <GuideStepItem key={step.name} step={step}>
            <Controls of={step.name} {...controls} />
            {step === guide.toDo && guide.back !== null ? <Back back={guide.back} onBack={goBack} /> : null}
          </GuideStepItem>
        ))}
      </Stack>
      {guide.toDo === null ? <Connected guide={guide} onClose={onClose} /> : null}
    </Stack>
  )
}

function Controls(properties: {
  of: GuideStepName
  guide: Guide
  beginning: GuideBeginning
  invitation: OwnInvitation | null
  invited: (invitation: OwnInvitation) => void
}) {
  const { of, guide, beginning, invitation, invited } = properties
  switch (of) {
    case 'app':
      return <App beginning={beginning} />
    case 'way':
      return <ChooseWay guide={guide} beginning={beginning} invitation={invitation} onInvited={invited} />
    case 'address':
      return guide.facts.way === 'internet' ? <ReachLink guide={guide} /> : <LocalForm guide={guide} />
    case 'login':
      if (guide.facts.way !== 'internet' && guide.facts.phone === null) return <LocalForm guide={guide} />
      return invitation === null ? <Waiting /> : <Invitation invitation={invitation} />
    case 'permissions':
      return <Waiting />
    case 'battery':
      return (
        <Group>
          <Button onClick={() => guide.note({ isAwake: true })}>The app is allowed to run</Button>
        </Group>
      )
    case 'number':
      return <NumberForm guide={guide} />
    case 'limit':
      return <LimitForm guide={guide} />
    case 'test':
      return <TestForm guide={guide} />
    case 'answer':
      return (
        <Group>
          <Waiting />
          <Button variant="default" onClick={() => guide.note({ isAnswerPassed: true })}>
            End without an answer
          </Button>
        </Group>
      )
  }
}

/** Returns to an earlier step, where the last choice was made. */
const Back = ({ back, onBack }: { back: GuideReturn; onBack: (back: GuideReturn) => void }) => (
  <Group>
    <Button variant="subtle" size="compact-sm" onClick={() => onBack(back)}>
      {back.forgets === 'test' ? 'Send another test SMS' : `Back to: ${guideTitles[back.to]}`}
    </Button>
  </Group>
)

/** Says that the phone which the guide was about is still there. */
function Left({ deviceId }: { deviceId: string }) {
  const place = useAccountPlace()
  return (
    <Text size="sm" role="status">
      The phone {deviceId} stays connected.{' '}
      <Anchor component={Link} to={pathOf(place, `/devices/${deviceId}`)} size="sm">
        Open it
      </Anchor>{' '}
      to remove it.
    </Text>
  )
}

const Waiting = () => <Loader size="sm" aria-label="Waiting for the phone" />

const App = ({ beginning }: { beginning: GuideBeginning }) => (
  <Group align="flex-start" justify="space-between">
    <Anchor href={appAddress} size="sm" style={{ overflowWrap: 'anywhere' }}>
      {appAddress}
    </Anchor>
    <QrCode code={beginning.appCode} of="the app" />
  </Group>
)

function Connected({ guide, onClose }: { guide: Guide; onClose: () => void }) {
  const place = useAccountPlace()
  const { phone } = guide.facts
  return (
    <Alert color="teal" variant="light" title="Connected" role="status">
      <Stack gap="xs" align="start">
        <Text size="sm">The phone sends and receives for this account.</Text>
        <Group>
          <Button
            component={Link}
            to={pathOf(place, `/devices/${phone?.deviceId ?? ''}`)}
            size="xs"
            variant="default"
          >
            Open phone
          </Button>
          <Button size="xs" variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}

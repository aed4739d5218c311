import { Button, Checkbox, Stack, Text } from '@mantine/core'
import { guideWays, type GuideWay } from '../../../../src/devices/phones/guide-words.ts'
import type { GuideBeginning } from '../../../../src/api/console/devices/connect-guide-calls.ts'
import { useAccountPlace } from '../../api/place.ts'
import { useChange } from '../../api/use-call.ts'
import { CallFault } from '../../ui/call-fault.tsx'
import { formerInvitation, keepInvitation } from './former-invitation.ts'
import type { Guide } from './guide.ts'
import type { OwnInvitation } from './invitation.tsx'

/** Choice between the three connections. Over the internet begins with an invitation, and a link that a phone opens. */
export function ChooseWay(properties: {
  guide: Guide
  beginning: GuideBeginning
  /** The private token that no phone has used yet. */
  invitation: OwnInvitation | null
  onInvited: (invitation: OwnInvitation) => void
}) {
  const { guide, beginning, invitation, onInvited } = properties
  const { recommended, canVisit } = beginning
  const { isShared } = guide
  const place = useAccountPlace()
  const invite = useChange('devices/invite-phone')
  const begin = useChange('devices/begin-reach')
  const createInvitation = async (): Promise<OwnInvitation> => {
    const made = await invite.mutateAsync({ isShared, ...formerInvitation(place, isShared) })
    keepInvitation(place, isShared, made.tokenId)
    return { ...made, isShared }
  }
  const chooseInternet = async (): Promise<void> => {
    const [invited, reach] = await Promise.all([
      invitation?.isShared === isShared ? invitation : createInvitation(),
      // Without it the step offers a button that tries it again.
      begin.mutateAsync({}).catch(() => null),
    ])
    onInvited(invited)
    guide.setReach(reach)
    guide.chooseWay('internet')
  }
  const choose = (way: GuideWay): void => {
    if (way !== 'internet') return guide.chooseWay(way)
    // Why it failed is shown.
    void chooseInternet().catch(() => undefined)
  }
  return (
    <Stack gap="sm">
      {canVisit ? (
        <Checkbox
          label="Shared: all accounts can use it"
          checked={isShared}
          onChange={(event) => guide.setShared(event.currentTarget.checked)}
        />
      ) : (
        <Text size="sm">
          Only the operator can connect a phone in the network of this server, or over a cable: this server
          would connect to an address of its network.
        </Text>
      )}
      <CallFault error={invite.error} />
      {guideWays
        .filter(({ way }) => canVisit || way === 'internet')
        .map(({ way, label, summary }) => (
          <Stack key={way} gap={4} align="start">
            <Button
              variant={way === recommended ? 'filled' : 'default'}
              loading={way === 'internet' && (invite.isPending || begin.isPending)}
              onClick={() => choose(way)}
            >
              {way === recommended ? `${label} (recommended)` : label}
            </Button>
            <Text size="sm" c="dimmed">
              {summary}
            </Text>
          </Stack>
        ))}
    </Stack>
  )
}

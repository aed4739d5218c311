import { Button, Checkbox, Stack, Text } from '@mantine/core'
import { guideWays, type GuideWay } from '../../../../src/devices/phones/guide-words.ts'
import type { GuideBeginning } from '../../../../src/api/console/devices/connect-guide-calls.ts'
import { useChange } from '../../api/use-call.ts'
import { CallFault } from '../../ui/call-fault.tsx'
import type { Guide } from './guide.ts'
import type { PhoneInvitation } from '../../../../src/api/console/devices/device-connect-calls.ts'

/** Choice between the three connections. Over the internet begins with an invitation: a private token. */
export function ChooseWay(properties: {
  guide: Guide
  beginning: GuideBeginning
  onInvited: (invitation: PhoneInvitation) => void
}) {
  const { guide, beginning, onInvited } = properties
  const { recommended, canVisit } = beginning
  const invite = useChange('devices/invite-phone')
  const choose = (way: GuideWay): void => {
    if (way !== 'internet') return guide.chooseWay(way)
    invite.mutate(
      { isShared: guide.isShared },
      {
        onSuccess(invitation) {
          onInvited(invitation)
          guide.chooseWay(way)
        },
      },
    )
  }
  return (
    <Stack gap="sm">
      {canVisit ? (
        <Checkbox
          label="Shared: all accounts can use it"
          checked={guide.isShared}
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
              loading={way === 'internet' && invite.isPending}
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

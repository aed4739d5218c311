import { Alert, Stack, Text } from '@mantine/core'
import type { InvitationAnswer } from '../../../src/api/console/invite.ts'
import { ToCopy } from '../ui/to-copy.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

/** The one time that the link of an invitation is shown. */
export function NewInvitation({ of, onClose }: { of: InvitationAnswer; onClose?: () => void }) {
  return (
    <Alert
      color="teal"
      variant="light"
      role="status"
      title={of.isMailed ? 'The invitation was mailed' : 'Give this link to the person you invite'}
      {...(onClose === undefined ? {} : { withCloseButton: true, closeButtonLabel: 'Close', onClose })}
    >
      <Stack gap="xs">
        <ToCopy text={of.link} of="the link" testId="invitation-link" />
        <Text size="sm">
          Whoever opens it first is let in. It is shown this once, works once, and ends{' '}
          <TimeAgo at={of.expiresAt} />.
        </Text>
      </Stack>
    </Alert>
  )
}

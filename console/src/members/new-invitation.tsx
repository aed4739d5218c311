import { Alert, Stack, Text } from '@mantine/core'
import type { InvitationAnswer } from '../../../src/api/console/account/invite.ts'
import { ToCopy } from '../ui/to-copy.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

const titles: Readonly<Record<NonNullable<InvitationAnswer['mail']>, string>> = {
  taken: 'The invitation was mailed',
  refused: 'Give this link to the person you invite',
  unknown:
    'The invitation may have been mailed; if it does not arrive, give this link to the person you invite',
}

/** The one time that the link of an invitation is shown. */
export function NewInvitation({ of, onClose }: { of: InvitationAnswer; onClose?: () => void }) {
  return (
    <Alert
      color="teal"
      variant="light"
      role="status"
      title={titles[of.mail ?? 'refused']}
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

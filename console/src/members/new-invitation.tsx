import { Alert, Stack, Text } from '@mantine/core'
import type { InvitationAnswer } from '../../../src/api/console/account/invite.ts'
import { ToCopy } from '../ui/to-copy.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

const titles: Readonly<Record<NonNullable<InvitationAnswer['mail']>, string>> = {
  taken: 'Invitation mailed',
  refused: 'Send this link to the invited user',
  unknown: 'The invitation may have been mailed. If it does not arrive, send this link to the invited user',
}

/** Shows the link of an invitation, the only time that it is shown. */
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
          The first person to open this link can join. It is shown only once, works once, and expires{' '}
          <TimeAgo at={of.expiresAt} />.
        </Text>
      </Stack>
    </Alert>
  )
}

import { Alert, Stack, Text } from '@mantine/core'
import { ToCopy } from '../ui/to-copy.tsx'

/** The one time that a token is shown. */
export function NewToken({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <Alert
      color="teal"
      variant="light"
      title="Copy the token now: it is shown this once"
      withCloseButton
      closeButtonLabel="I have copied it"
      onClose={onClose}
      role="status"
    >
      <Stack gap="xs">
        <ToCopy text={token} of="the token" testId="new-token" />
        <Text size="sm">
          Only its hash is stored. It sees every account: keep it as you keep your password.
        </Text>
      </Stack>
    </Alert>
  )
}

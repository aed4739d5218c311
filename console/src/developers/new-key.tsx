import { Alert, Stack, Text } from '@mantine/core'
import { ToCopy } from '../ui/to-copy.tsx'

/** The one time that a key is shown. */
export function NewKey({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <Alert
      color="teal"
      variant="light"
      title="Copy the key now: it is shown this once"
      withCloseButton
      closeButtonLabel="I have copied it"
      onClose={onClose}
      role="status"
    >
      <Stack gap="xs">
        <ToCopy text={token} of="the key" testId="new-key" />
        <Text size="sm">
          Only its hash is stored. Whoever has it may do what it may do; keep it out of repositories.
        </Text>
      </Stack>
    </Alert>
  )
}

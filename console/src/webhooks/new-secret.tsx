import { Alert, Anchor, Stack, Text } from '@mantine/core'
import { ToCopy } from '../ui/to-copy.tsx'

/** The one time that the secret of an endpoint is shown. */
export function NewSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Alert
      color="teal"
      variant="light"
      title="Copy the secret now: it is shown this once"
      withCloseButton
      closeButtonLabel="I have copied it"
      onClose={onClose}
      role="status"
    >
      <Stack gap="xs">
        <ToCopy text={secret} of="the secret" testId="new-secret" />
        <Text size="sm">
          Your program verifies with it that a request is ours. The signature is that of{' '}
          <Anchor
            href="https://www.standardwebhooks.com/"
            target="_blank"
            rel="noreferrer"
            size="sm"
            underline="always"
            c="inherit"
          >
            Standard Webhooks
          </Anchor>
          , for which there are libraries in every language.
        </Text>
      </Stack>
    </Alert>
  )
}

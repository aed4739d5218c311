import { Alert, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ToCopy } from './to-copy.tsx'

/** Shows a new secret, the only time that it is shown. */
export function ShownOnce(props: {
  what: 'key' | 'token' | 'secret'
  text: string
  onClose: () => void
  children: ReactNode
}) {
  const { what, text, onClose, children } = props
  return (
    <Alert
      color="teal"
      variant="light"
      title={`Copy the ${what} now. It is shown only once`}
      withCloseButton
      closeButtonLabel="I have copied it"
      onClose={onClose}
      role="status"
    >
      <Stack gap="xs">
        <ToCopy text={text} of={`the ${what}`} testId={`new-${what}`} />
        <Text size="sm">{children}</Text>
      </Stack>
    </Alert>
  )
}

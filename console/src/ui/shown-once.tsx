import { Alert, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ToCopy } from './to-copy.tsx'

/** The one time that a secret is shown: `what` it is, and what to know of it. */
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
      title={`Copy the ${what} now: it is shown this once`}
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

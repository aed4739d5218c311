import { Alert, Button, Center, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CallFailed, isSignedOut, type Problem } from '../api/call.ts'
import { isMissingPart } from '../connection/load-part.ts'
import { SignInAgain } from './sign-in-again.tsx'

/** Error state of a page: what went wrong, and what to do. */
export function PageFailed({ error, reset }: { error: unknown; reset?: () => void }) {
  const failed = error instanceof CallFailed ? error.problem : isMissingPart(error) ? missingPart : null
  const tryAgain = reset === undefined || isMissingPart(error) ? () => window.location.reload() : reset
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      title={failed?.title ?? 'Something broke on this page'}
      m="md"
    >
      <Stack gap="sm" align="start">
        <Text size="sm">{failed?.detail ?? String(error)}</Text>
        {failed?.request_id === undefined ? null : (
          <Text size="xs" c="dimmed">
            Request {failed.request_id}
          </Text>
        )}
        {isSignedOut(error) ? (
          <SignInAgain />
        ) : (
          <Button size="xs" variant="default" onClick={tryAgain}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

const missingPart: Pick<Problem, 'title' | 'detail' | 'request_id'> = {
  title: 'Part of this page is missing on the server',
  detail: 'Reload the page. If that does not help, ask the operator to reinstall the console.',
}

/** Page for unknown paths. */
export function NotFound() {
  return (
    <Center component="main" mih="60vh" p="md">
      <Stack align="center" gap="xs">
        <Title order={1}>Page not found</Title>
        <Text c="dimmed">The page was moved, or belongs to another account.</Text>
        <Button component={Link} to="/">
          Go to overview
        </Button>
      </Stack>
    </Center>
  )
}

import { Alert, Button, Center, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CallFailed, isSignedOut } from '../api/call.ts'
import { SignInAgain } from './sign-in-again.tsx'

/** What a page shows when it cannot be shown: what went wrong, and what to do. */
export function PageFailed({ error, reset }: { error: unknown; reset?: () => void }) {
  const failed = error instanceof CallFailed ? error.problem : null
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      title={failed?.title ?? 'This page made a mistake.'}
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
          <Button size="xs" variant="default" onClick={() => (reset ?? (() => window.location.reload()))()}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** For addresses that lead nowhere. */
export function NotFound() {
  return (
    <Center component="main" mih="60vh" p="md">
      <Stack align="center" gap="xs">
        <Title order={1}>There is nothing here</Title>
        <Text c="dimmed">The page was moved, or it belongs to another account.</Text>
        <Button component={Link} to="/">
          To the overview
        </Button>
      </Stack>
    </Center>
  )
}

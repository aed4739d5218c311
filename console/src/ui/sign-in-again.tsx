import { Anchor } from '@mantine/core'

/** The way on for whose session has ended, and back to this page. Where somebody is signing in, it would lead nowhere. */
export function SignInAgain() {
  const { pathname, search } = window.location
  if (pathname === '/sign-in') return null
  return (
    <Anchor href={`/sign-in?${new URLSearchParams({ next: pathname + search }).toString()}`} size="sm">
      Sign in
    </Anchor>
  )
}

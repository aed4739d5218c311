import { Anchor } from '@mantine/core'

/** Link to sign in again and return to this page; nothing on the sign-in page itself. */
export function SignInAgain() {
  const { pathname, search } = window.location
  if (pathname === '/sign-in') return null
  return (
    <Anchor href={`/sign-in?${new URLSearchParams({ next: pathname + search }).toString()}`} size="sm">
      Sign in
    </Anchor>
  )
}

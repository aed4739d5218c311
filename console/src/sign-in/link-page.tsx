import { Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { change } from '../api/call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { ChoosePassword } from './choose-password.tsx'
import { Invitation } from './invitation.tsx'
import { OutsidePage } from './outside-page.tsx'

/** Page of a one-time link. The token is after the `#` of the URL, which browsers do not send to servers. */
export function LinkPage() {
  const { hash: token } = useLocation()
  const { data, error, isPending } = useQuery({
    queryKey: ['link', token],
    queryFn: () => change('link/look', null, { token }),
    // A second call would report the link as used while the user continues.
    staleTime: Infinity,
    retry: false,
    // The hash is empty while the page is being left.
    enabled: token !== '',
  })
  if (token !== '' && isPending) {
    return (
      <OutsidePage title="Loading…">
        <Stack role="status" aria-busy="true" aria-label="Loading">
          <Skeleton height={36} />
          <Skeleton height={36} />
        </Stack>
      </OutsidePage>
    )
  }
  if (data === undefined) {
    return (
      <OutsidePage title="Invalid link">
        {token === '' ? (
          <Text>Part of the link is missing. Copy all of it.</Text>
        ) : (
          <CallFault error={error} />
        )}
        <Anchor component={Link} to="/sign-in" size="sm">
          Go to sign-in
        </Anchor>
      </OutsidePage>
    )
  }
  return data.purpose === 'invitation' ? (
    <Invitation token={token} look={data} />
  ) : (
    <ChoosePassword token={token} look={data} />
  )
}

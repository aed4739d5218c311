import { Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { change } from '../api/call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { ChoosePassword } from './choose-password.tsx'
import { Invitation } from './invitation.tsx'
import { OutsidePage } from './outside-page.tsx'

/** What a one-time link opens. Its token stands behind the `#` of the address, which is sent to no server by itself. */
export function LinkPage() {
  const { hash: token } = useLocation()
  const { data, error, isPending } = useQuery({
    queryKey: ['link', token],
    queryFn: () => change('link/look', null, { token }),
    // Once taken it would be said to be used while the person goes on.
    staleTime: Infinity,
    retry: false,
    // Empty while the page is being left.
    enabled: token !== '',
  })
  if (token !== '' && isPending) {
    return (
      <OutsidePage title="One moment">
        <Stack role="status" aria-busy="true" aria-label="Loading">
          <Skeleton height={36} />
          <Skeleton height={36} />
        </Stack>
      </OutsidePage>
    )
  }
  if (data === undefined) {
    return (
      <OutsidePage title="This link does not work">
        {token === '' ? (
          <Text>A part of it is missing. Was all of it copied?</Text>
        ) : (
          <CallFault error={error} />
        )}
        <Anchor component={Link} to="/sign-in" size="sm">
          To the sign-in
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

import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { change } from '../api/call.ts'
import { sessionQuery } from '../api/session.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { OutsidePage } from './outside-page.tsx'

/** Confirms an e-mail address, by a click: programs that open the links of a mail confirm nothing. Its token is after the `#` of the address. */
export function ConfirmEmailPage() {
  const { hash: token } = useLocation()
  const { data: session } = useQuery(sessionQuery)
  return (
    <OutsidePage title="Confirm your e-mail address">
      {token === '' ? (
        <Text>Part of the link is missing. Copy all of it.</Text>
      ) : session === undefined ? null : session.user === null ? (
        <Stack>
          <Text>Sign in first, then open this link again.</Text>
          <Button component={Link} to="/sign-in">
            Sign in
          </Button>
        </Stack>
      ) : (
        <Confirm token={token} />
      )}
    </OutsidePage>
  )
}

function Confirm({ token }: { token: string }) {
  const client = useQueryClient()
  const confirm = useMutation({
    mutationFn: () => change('email/confirm', null, { token }),
    onSuccess: () => client.invalidateQueries(),
  })
  if (confirm.data === undefined) {
    return (
      <Stack>
        <CallFault error={confirm.error} />
        <Button onClick={() => confirm.mutate()} loading={confirm.isPending}>
          Confirm the address
        </Button>
      </Stack>
    )
  }
  const { email, isFirstProof } = confirm.data
  return (
    <Stack>
      <Text role="status">You sign in as {email} from now on.</Text>
      {isFirstProof ? (
        <Text>
          This was the first confirmed address. Second factor and passkeys that were added before are removed
          and other sessions have ended: add them again on your profile.
        </Text>
      ) : null}
      <Button component={Link} to="/profile">
        Profile and security
      </Button>
    </Stack>
  )
}

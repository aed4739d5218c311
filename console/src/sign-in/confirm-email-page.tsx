import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import type { AnswerOf } from '../../../src/api/console/calls.ts'
import { change } from '../api/call.ts'
import { sessionQuery } from '../api/session.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { ListState } from '../ui/list-state.tsx'
import { OutsidePage } from './outside-page.tsx'

/**
 * Confirms an e-mail address after a click: software that opens the links of a mail must not confirm it. The token is
 * after the `#` of the URL.
 */
export function ConfirmEmailPage() {
  const { hash: token } = useLocation()
  const session = useQuery(sessionQuery)
  return (
    <OutsidePage title="Confirm your e-mail address">
      {token === '' ? (
        <Text>Part of the link is missing. Copy all of it.</Text>
      ) : (
        <ListState query={session} rows={2}>
          {({ user }) => (user === null ? <SignInFirst /> : <Confirm token={token} />)}
        </ListState>
      )}
    </OutsidePage>
  )
}

const SignInFirst = () => (
  <Stack>
    <Text>Sign in first, then open this link again.</Text>
    <Button component={Link} to="/sign-in">
      Sign in
    </Button>
  </Stack>
)

type Confirmed = AnswerOf<'email/confirm'>

function Confirm({ token }: { token: string }) {
  const [confirmed, setConfirmed] = useState<Confirmed | null>(null)
  return confirmed === null ? <Ask token={token} onConfirmed={setConfirmed} /> : <Done of={confirmed} />
}

function Ask({ token, onConfirmed }: { token: string; onConfirmed: (confirmed: Confirmed) => void }) {
  const client = useQueryClient()
  const look = useQuery({
    queryKey: ['email-link', token],
    queryFn: () => change('email/look', null, { token }),
    // A second call would report the link as already used.
    staleTime: Infinity,
    retry: false,
  })
  const confirm = useMutation({
    mutationFn: () => change('email/confirm', null, { token }),
    onSuccess: async (confirmed) => {
      onConfirmed(confirmed)
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'email-link' })
    },
  })
  return (
    <ListState query={look} rows={2}>
      {({ email }) => (
        <Stack>
          <Text>You will sign in as {email}.</Text>
          <CallFault error={confirm.error} />
          <Button onClick={() => confirm.mutate()} loading={confirm.isPending}>
            {confirm.error === null ? 'Confirm address' : 'Try again'}
          </Button>
        </Stack>
      )}
    </ListState>
  )
}

function Done({ of: { email, isFirstProof } }: { of: Confirmed }) {
  return (
    <Stack>
      <Text role="status">You now sign in as {email}.</Text>
      {isFirstProof ? (
        <Text>
          This was the first confirmed address. The second factor and passkeys that were added before have
          been removed, and other sessions have ended. Add them again in your profile.
        </Text>
      ) : null}
      <Button component={Link} to="/profile">
        Profile and security
      </Button>
    </Stack>
  )
}

import { Anchor, Container, Stack, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useCall } from '../api/use-call.ts'
import { ListState } from '../ui/list-state.tsx'
import { TopBar } from '../ui/top-bar.tsx'
import { AlertChoices } from './alert-choices.tsx'
import { ChangePassword } from './change-password.tsx'
import { Passkeys } from './passkeys.tsx'
import { Person } from './person.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

/** Profile page: name and address, password, passkeys, second factor, notifications, sessions. */
export function ProfilePage() {
  const profile = useCall('profile/read', {})
  return (
    <>
      <TopBar>
        <Anchor component={Link} to="/" size="sm">
          Back to console
        </Anchor>
      </TopBar>
      <Container component="main" id="content" size={760} py="md">
        <Stack gap="lg">
          <Title order={1}>Profile and security</Title>
          <ListState query={profile} rows={5}>
            {(answer) => (
              <Stack gap="lg">
                <Person of={answer} />
                <ChangePassword email={answer.email} />
                <Passkeys of={answer} />
                <SecondFactor isThere={answer.hasSecondFactor} />
                <AlertChoices of={answer} />
                <Sessions of={answer.sessions} />
              </Stack>
            )}
          </ListState>
        </Stack>
      </Container>
    </>
  )
}

import { Anchor, Box, Container, Stack, TextInput, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ProfileAnswer } from '../../../src/api/console/profile-calls.ts'
import { useCall, useChange } from '../api/use-call.ts'
import { faultOf } from '../ui/call-fault.tsx'
import { CallForm } from '../ui/call-form.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { ListState } from '../ui/list-state.tsx'
import { notify } from '../ui/notify.ts'
import { PasswordField } from '../ui/password-field.tsx'
import { TopBar } from '../ui/top-bar.tsx'
import { AlertChoices } from './alert-choices.tsx'
import { ChangePassword } from './change-password.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Section } from '../ui/section.tsx'
import { Sessions } from './sessions.tsx'

/** Oneself: name and address, password, passkeys, second factor, sessions. */
export function ProfilePage() {
  const profile = useCall('profile/read', {})
  return (
    <>
      <TopBar>
        <Anchor component={Link} to="/" size="sm">
          Back to the console
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

function Person({ of }: { of: ProfileAnswer }) {
  const [name, setName] = useState(of.name)
  const [email, setEmail] = useState(of.email)
  const [password, setPassword] = useState('')
  const change = useChange('profile/change', ['profile/read', 'session/read'])
  const movesEmail = email.trim().toLowerCase() !== of.email
  const submit = (): void => {
    change.mutate(
      { name, email, ...(movesEmail ? { password } : {}) },
      {
        onSuccess: () => {
          setPassword('')
          void notify({ color: 'teal', message: 'Saved.' })
        },
      },
    )
  }
  return (
    <Section title="Name and address">
      <Box maw={420}>
        <CallForm call={change} onSubmit={submit} action="Save" ownFaults={['name', 'email', 'password']}>
          <TextInput
            label="Name"
            required
            maxLength={100}
            autoComplete="name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={faultOf(change.error, 'name')}
          />
          <EmailField
            description="What you sign in with."
            value={email}
            onChange={setEmail}
            error={faultOf(change.error, 'email')}
          />
          {movesEmail ? (
            <PasswordField
              description="To change the address."
              value={password}
              onChange={setPassword}
              error={faultOf(change.error, 'password')}
            />
          ) : null}
        </CallForm>
      </Box>
    </Section>
  )
}

import { Checkbox, Stack, Text } from '@mantine/core'
import type { ProfileAnswer } from '../../../src/api/console/sign-in/profile-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { notify } from '../ui/notify.ts'
import { Section } from '../ui/section.tsx'

/** Of what one is told by mail. A tick counts at once. */
export function AlertChoices({ of: { alerts, sendsMail, email } }: { of: ProfileAnswer }) {
  const change = useChange('profile/mute-alerts', ['profile/read'])
  const chosen = alerts.filter(({ isOn }) => isOn).map(({ kind }) => kind)
  const choose = (wanted: string[]): void =>
    change.mutate(
      { kinds: alerts.map(({ kind }) => kind).filter((kind) => !wanted.includes(kind)) },
      { onSuccess: () => void notify({ color: 'teal', message: 'Saved.' }) },
    )
  return (
    <Section title="Mails">
      <Stack gap="xs">
        <Text size="sm">
          {sendsMail
            ? `Sent to ${email} when it begins and when it is over, for the accounts that you own.`
            : 'This instance has no mail server (ONESIXTY_SMTP_URL): nothing is sent until it has one.'}
        </Text>
        <Checkbox.Group aria-label="Tell me of" value={chosen} onChange={choose}>
          <Stack gap={6}>
            {alerts.map(({ kind, label }) => (
              <Checkbox key={kind} value={kind} label={label} disabled={change.isPending} />
            ))}
          </Stack>
        </Checkbox.Group>
        <CallFault error={change.error} />
      </Stack>
    </Section>
  )
}

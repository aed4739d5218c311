import { Checkbox, Stack, Text } from '@mantine/core'
import type { ProfileAnswer } from '../../../src/api/console/sign-in/profile-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { notify } from '../ui/notify.ts'
import { Section } from '../ui/section.tsx'

/** Checkboxes for e-mail notifications. Changes are saved immediately. */
export function AlertChoices({ of: { alerts, sendsMail, email } }: { of: ProfileAnswer }) {
  const change = useChange('profile/mute-alerts', ['profile/read'])
  const chosen = alerts.filter(({ isOn }) => isOn).map(({ kind }) => kind)
  const choose = (wanted: string[]): void =>
    change.mutate(
      { kinds: alerts.map(({ kind }) => kind).filter((kind) => !wanted.includes(kind)) },
      { onSuccess: () => void notify({ color: 'teal', message: 'Saved' }) },
    )
  return (
    <Section title="E-mail notifications">
      <Stack gap="xs">
        <Text size="sm">
          {sendsMail
            ? `Sent to ${email} when a condition starts and when it ends, for the accounts that you own.`
            : 'This instance has no mail server (ONESIXTY_SMTP_URL), so no notifications are sent.'}
        </Text>
        <Checkbox.Group aria-label="E-mail notifications" value={chosen} onChange={choose}>
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

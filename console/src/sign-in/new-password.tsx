import { PasswordInput } from '@mantine/core'

/** Field for a new password; the server returns its faults. */
export function NewPassword(properties: {
  label?: string
  value: string
  onChange: (value: string) => void
  fault: string | undefined
}) {
  const { label = 'Password', value, onChange, fault } = properties
  return (
    <PasswordInput
      label={label}
      description="At least 12 characters, for example a few unrelated words."
      autoComplete="new-password"
      required
      minLength={12}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={fault}
    />
  )
}

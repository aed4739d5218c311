import { PasswordInput } from '@mantine/core'

/** A password that is chosen; the server says what is wrong with it. */
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
      description="At least 12 characters; a few unrelated words are good."
      autoComplete="new-password"
      required
      minLength={12}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={fault}
    />
  )
}

import { PasswordInput, type PasswordInputProps } from '@mantine/core'

type Properties = Omit<PasswordInputProps, 'value' | 'onChange'> & {
  value: string
  onChange: (password: string) => void
}

/** Field for the user's current password; new passwords have a field of their own. */
export const PasswordField = ({ onChange, ...rest }: Properties) => (
  <PasswordInput
    label="Password"
    autoComplete="current-password"
    required
    {...rest}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
)

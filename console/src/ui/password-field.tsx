import { PasswordInput, type PasswordInputProps } from '@mantine/core'

type Properties = Omit<PasswordInputProps, 'value' | 'onChange'> & {
  value: string
  onChange: (password: string) => void
}

/** The password that the person at the screen has; a new one is chosen elsewhere. */
export const PasswordField = ({ onChange, ...rest }: Properties) => (
  <PasswordInput
    label="Password"
    autoComplete="current-password"
    required
    {...rest}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
)

import { TextInput, type TextInputProps } from '@mantine/core'

type Properties = Omit<TextInputProps, 'type' | 'value' | 'onChange'> & {
  value: string
  onChange?: (email: string) => void
}

/** Field for an e-mail address: the user's own, unless `autoComplete` is off. */
export const EmailField = ({ onChange, ...rest }: Properties) => (
  <TextInput
    label="E-mail address"
    type="email"
    autoComplete="username"
    required
    {...rest}
    onChange={(event) => onChange?.(event.currentTarget.value)}
  />
)

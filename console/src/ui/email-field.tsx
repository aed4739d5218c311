import { TextInput, type TextInputProps } from '@mantine/core'

type Properties = Omit<TextInputProps, 'type' | 'value' | 'onChange'> & {
  value: string
  onChange?: (email: string) => void
}

/** An e-mail address: that of the person at the screen, unless `autoComplete` is off. */
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

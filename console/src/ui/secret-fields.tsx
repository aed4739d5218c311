import { TextInput } from '@mantine/core'
import { Choice } from './choice.tsx'

/** Field for the name of a new key or token; `description` explains what to enter. */
export const SecretName = (props: {
  description: string
  value: string
  onChange: (name: string) => void
}) => (
  <TextInput
    label="Name"
    description={props.description}
    required
    maxLength={100}
    data-autofocus
    value={props.value}
    onChange={(event) => props.onChange(event.currentTarget.value)}
  />
)

const lifetimes = [
  { value: '', label: 'Never' },
  { value: '30', label: 'After 30 days' },
  { value: '90', label: 'After 90 days' },
  { value: '365', label: 'After a year' },
]

/** Field for the days until expiry; empty for never. */
export const SecretLife = (props: { value: string; onChange: (days: string) => void }) => (
  <Choice label="Expires" data={lifetimes} {...props} />
)

/** Returns the time of expiry, counted from now. */
export const endOfLife = (days: string): number | null =>
  days === '' ? null : Date.now() + Number(days) * 86_400_000

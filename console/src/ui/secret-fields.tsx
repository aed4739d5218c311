import { TextInput } from '@mantine/core'
import { Choice } from './choice.tsx'

/** What a new key or token is called; `description` says what for. */
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

const lives = [
  { value: '', label: 'Never' },
  { value: '30', label: 'After 30 days' },
  { value: '90', label: 'After 90 days' },
  { value: '365', label: 'After a year' },
]

/** After how many days it ends; empty for never. */
export const SecretLife = (props: { value: string; onChange: (days: string) => void }) => (
  <Choice label="It ends" data={lives} {...props} />
)

/** When that is, from now on. */
export const endOfLife = (days: string): number | null =>
  days === '' ? null : Date.now() + Number(days) * 86_400_000

import { TagsInput, TextInput } from '@mantine/core'

/** Field for the name of a device. */
export const DeviceName = (props: {
  value: string
  onChange: (name: string) => void
  'data-autofocus'?: boolean
}) => (
  <TextInput
    label="Name"
    required
    maxLength={100}
    {...props}
    onChange={(event) => props.onChange(event.currentTarget.value)}
  />
)

/** Field for the senders that a device can use. */
export const DeviceSenders = (props: { value: string[]; onChange: (senders: string[]) => void }) => (
  <TagsInput
    label="Senders"
    description="Numbers, names or short codes that it can send from; * for any. Phones can only use numbers. Not needed for messages without a sender."
    {...props}
  />
)

import { TagsInput, TextInput } from '@mantine/core'

/** What people call a device. */
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

/** Whom messages may come from that go by a device. */
export const DeviceSenders = (props: { value: string[]; onChange: (senders: string[]) => void }) => (
  <TagsInput
    label="Senders"
    description="Numbers, names or short codes that it may send from; * for any. Phones have numbers alone. Messages that name no sender need none."
    {...props}
  />
)

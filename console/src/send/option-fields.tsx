import { Checkbox, SimpleGrid, TextInput } from '@mantine/core'
import { Choice } from '../ui/choice.tsx'
import { LocalTimeField } from '../ui/local-time-field.tsx'
import type { SendOptions } from './send-options.ts'

/** Each option of a send. */
export function OptionFields({
  value,
  onChange,
}: {
  value: SendOptions
  onChange: (value: SendOptions) => void
}) {
  const set = (changed: Partial<SendOptions>): void => onChange({ ...value, ...changed })
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput
        label="From"
        description="A number or name that one of your devices may use; chosen when empty."
        value={value.from}
        onChange={(event) => set({ from: event.currentTarget.value })}
      />
      <TextInput
        label="Reference"
        description="Yours; History finds it."
        maxLength={100}
        value={value.reference}
        onChange={(event) => set({ reference: event.currentTarget.value })}
      />
      <Choice
        label="Kind"
        data={categories}
        value={value.category}
        onChange={(category) => set({ category })}
      />
      <Choice
        label="Must go within"
        data={validities}
        value={value.validityHours}
        onChange={(validityHours) => set({ validityHours })}
      />
      <LocalTimeField
        label="Send at"
        hint="At once when empty; up to 30 days ahead."
        value={value.sendAt}
        onChange={(sendAt) => set({ sendAt })}
      />
      <Checkbox
        label="Replace look-alikes when that saves parts"
        checked={value.smartEncoding}
        onChange={(event) => set({ smartEncoding: event.currentTarget.checked })}
      />
    </SimpleGrid>
  )
}

const validities = [
  { value: '', label: 'As usual for the kind' },
  { value: '1', label: 'An hour' },
  { value: '24', label: 'A day' },
  { value: '72', label: 'Three days' },
]

const categories = [
  { value: 'transactional', label: 'Transactional' },
  { value: 'authentication', label: 'Authentication: goes first' },
  { value: 'marketing', label: 'Marketing: goes last' },
] as const

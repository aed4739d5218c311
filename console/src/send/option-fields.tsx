import { Checkbox, SimpleGrid, TextInput } from '@mantine/core'
import { Choice } from '../ui/choice.tsx'
import { LocalTimeField } from '../ui/local-time-field.tsx'
import type { SendOptions } from './send-options.ts'
import { useCanFallBack } from './use-fallback.ts'

/** Fields for the options of a send. */
export function OptionFields({
  value,
  onChange,
}: {
  value: SendOptions
  onChange: (value: SendOptions) => void
}) {
  const canFallBack = useCanFallBack()
  const set = (changed: Partial<SendOptions>): void => onChange({ ...value, ...changed })
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput
        label="From"
        description="Number or name of one of your devices. Default: chosen automatically."
        value={value.from}
        onChange={(event) => set({ from: event.currentTarget.value })}
      />
      <TextInput
        label="Reference"
        description="Your own ID, searchable in History."
        maxLength={100}
        value={value.reference}
        onChange={(event) => set({ reference: event.currentTarget.value })}
      />
      <Choice
        label="Category"
        data={categories}
        value={value.category}
        onChange={(category) => set({ category })}
      />
      <Choice
        label="Validity period"
        data={validities}
        value={value.validityHours}
        onChange={(validityHours) => set({ validityHours })}
      />
      <LocalTimeField
        label="Send at"
        hint="Up to 30 days ahead. Default: now."
        value={value.sendAt}
        onChange={(sendAt) => set({ sendAt })}
      />
      <Checkbox
        label="Replace look-alikes if that saves parts"
        checked={value.smartEncoding}
        onChange={(event) => set({ smartEncoding: event.currentTarget.checked })}
      />
      {canFallBack ? (
        <Checkbox
          label="Let shared devices send, for the balance"
          description="Own devices cost nothing. While none of them works, a shared device sends, and the balance pays."
          checked={value.fallsBack}
          onChange={(event) => set({ fallsBack: event.currentTarget.checked })}
        />
      ) : null}
    </SimpleGrid>
  )
}

const validities = [
  { value: '', label: 'Default of the category' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '72', label: '3 days' },
]

const categories = [
  { value: 'transactional', label: 'Transactional' },
  { value: 'authentication', label: 'Authentication: sent first' },
  { value: 'marketing', label: 'Marketing: sent last' },
] as const

import { Accordion, Checkbox, Select, SimpleGrid, TextInput } from '@mantine/core'

export interface SendOptions {
  from: string
  category: 'transactional' | 'authentication' | 'marketing'
  smartEncoding: boolean
  reference: string
  validityHours: string
}

export const noOptions: SendOptions = {
  from: '',
  category: 'transactional',
  smartEncoding: false,
  reference: '',
  validityHours: '',
}

/** The options as members of a body; what was left alone is left out. */
export const bodyOptions = (options: SendOptions): Record<string, unknown> => ({
  ...(options.from === '' ? {} : { from: options.from }),
  ...(options.category === 'transactional' ? {} : { category: options.category }),
  ...(options.smartEncoding ? { smart_encoding: true } : {}),
  ...(options.reference === '' ? {} : { client_reference: options.reference }),
  ...(options.validityHours === '' ? {} : { validity_period: Number(options.validityHours) * 3600 }),
})

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
]

/** What few sends need, folded away. */
export function SendOptionFields({
  value,
  onChange,
}: {
  value: SendOptions
  onChange: (value: SendOptions) => void
}) {
  const set = (changed: Partial<SendOptions>): void => onChange({ ...value, ...changed })
  return (
    <Accordion variant="contained">
      <Accordion.Item value="options">
        <Accordion.Control>Options</Accordion.Control>
        <Accordion.Panel>
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
            <Select
              label="Kind"
              data={categories}
              value={value.category}
              allowDeselect={false}
              onChange={(category) =>
                set({ category: (category ?? 'transactional') as SendOptions['category'] })
              }
            />
            <Select
              label="Must go within"
              data={validities}
              value={value.validityHours}
              allowDeselect={false}
              onChange={(hours) => set({ validityHours: hours ?? '' })}
            />
            <Checkbox
              label="Replace look-alikes when that saves parts"
              checked={value.smartEncoding}
              onChange={(event) => set({ smartEncoding: event.currentTarget.checked })}
            />
          </SimpleGrid>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}
